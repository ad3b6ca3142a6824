import BaizeWorkload

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

/// Checks a condition of an invariant.
func hold(
  _ condition: Bool, _ invariant: String, _ violation: @autoclosure () -> String
) throws(InvariantViolation) {
  if !condition { throw InvariantViolation(invariant, violation()) }
}

/// Checks an invariant in which another check has found a fault, if any.
func hold(_ invariant: String, at place: @autoclosure () -> String, fault: String?) throws(InvariantViolation) {
  if let fault { throw InvariantViolation(invariant, "\(place()): \(fault)") }
}

/// Returns what there must be by an invariant.
func require<Value>(
  _ value: Value?, _ invariant: String, _ violation: @autoclosure () -> String
) throws(InvariantViolation) -> Value {
  guard let value else { throw InvariantViolation(invariant, violation()) }
  return value
}

extension FaultList {
  /// - Throws: The invariant that the first fault breaks.
  func expectNone(at place: String) throws(InvariantViolation) {
    if let first { throw InvariantViolation(first.fault.invariant, "\(place): \(first.text)") }
  }
}

extension Fault {
  fileprivate var invariant: String {
    switch self {
    case .diverged: "I1"
    case .gap: "I2"
    case .lost, .duplicated, .unexpected, .unresolved: "I3"
    case .rejected: "I5"
    case .changed, .regressed: "I7"
    }
  }
}
