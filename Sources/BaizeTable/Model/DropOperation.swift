/// The effect of a drop on its items: SwiftUI's `DropOperation`. The raw values are those on the wire.
public enum DropOperation: UInt32, Hashable, Sendable, CaseIterable, BitwiseCopyable {
  /// The drag ended without a drop.
  case cancel = 0
  /// The sources stay; new items with the same faces appear.
  case copy = 1
  /// The items move to the destination.
  case move = 2
  /// The sources stay; new items appear that stand for them, with their faces, and that go when they go.
  case alias = 4
  /// The items are removed from the table.
  case delete = 8
  /// The drop is not allowed here, or not at present.
  case forbidden = 16

  /// Whether the sources stay where they are, and new items appear.
  package var keepsSources: Bool { self == .copy || self == .alias }

  /// A set of operations, such as those that a source offers.
  public struct Set: OptionSet, Hashable, Sendable, BitwiseCopyable {
    public let rawValue: UInt32

    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The set of ``DropOperation/copy`` alone.
    public static let copy = Set(.copy)
    /// The set of ``DropOperation/move`` alone.
    public static let move = Set(.move)
    /// The set of ``DropOperation/alias`` alone.
    public static let alias = Set(.alias)
    /// The set of ``DropOperation/delete`` alone.
    public static let delete = Set(.delete)

    /// Creates a set of one operation.
    public init(_ operation: DropOperation) { self.init(rawValue: operation.rawValue) }
  }
}

/// The rules' verdict on a drop: SwiftUI's `DropConfiguration`.
public struct DropConfiguration: Hashable, Sendable {
  /// The operation that the drop performs.
  public var operation: DropOperation
  /// The destination that the rules chose; `nil` for the requested one.
  public var destination: Destination?
  /// The number of items that are accepted, counted from the first; `nil` for all.
  public var acceptedItemCount: Int?
  /// The reason why `operation` is `.forbidden`; otherwise `nil`.
  public var refusal: Refusal?

  /// Creates a verdict.
  public init(
    operation: DropOperation, destination: Destination? = nil, acceptedItemCount: Int? = nil, refusal: Refusal? = nil
  ) {
    self.operation = operation
    self.destination = destination
    self.acceptedItemCount = acceptedItemCount
    self.refusal = refusal
  }

  /// Returns the verdict that forbids a drop.
  public static func forbidden(_ refusal: Refusal) -> DropConfiguration {
    DropConfiguration(operation: .forbidden, refusal: refusal)
  }
}
