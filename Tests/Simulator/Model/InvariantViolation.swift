/// An invariant that did not hold.
public struct InvariantViolation: Error, Hashable, Sendable, CustomStringConvertible {
  /// `I1` … `I10`, as the design numbers them.
  public let invariant: String
  public let detail: String

  package init(_ invariant: String, _ detail: String) {
    self.invariant = invariant
    self.detail = detail
  }

  public var description: String { "\(invariant): \(detail)" }
}
