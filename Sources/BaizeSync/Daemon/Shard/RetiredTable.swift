/// What a table that is not needed any more has held.
public struct RetiredTable: Sendable {
  private let parts: [any Sendable]

  init(_ parts: any Sendable...) { self.parts = parts }
}
