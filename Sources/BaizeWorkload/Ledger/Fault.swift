/// A fault that no run may find.
package enum Fault: String, CaseIterable, Sendable {
  /// An operation was accepted, but its effect is missing.
  case lost
  /// An operation had two effects, or two answers.
  case duplicated
  /// An effect exists whose operation was not accepted.
  case unexpected
  /// An operation or a revision was reported in two different ways.
  case changed
  /// An operation never got an answer, or its session was lost.
  case unresolved
  /// A copy of a table differs from the daemon's.
  case diverged
  /// Something that a client had received was lost.
  case regressed
  /// A revision was skipped, or arrived out of order.
  case gap
  /// A client was refused, or could not reconnect.
  case rejected
}

/// The faults that were found: the number of each kind, and the first few in words.
package struct FaultList {
  package private(set) var counts: [Fault: Int] = [:]
  package private(set) var examples: [String] = []
  /// The first one that was noted, in words.
  package private(set) var first: (fault: Fault, text: String)?

  static let examplesPerFaultMax = 4

  package init() {}

  package var isEmpty: Bool { counts.isEmpty }
  package var total: Int { counts.values.reduce(0, +) }

  package subscript(fault: Fault) -> Int { counts[fault] ?? 0 }

  package mutating func note(_ fault: Fault, _ text: String) {
    counts[fault, default: 0] += 1
    if first == nil { first = (fault, text) }
    if counts[fault, default: 0] <= Self.examplesPerFaultMax { examples.append("\(fault.rawValue): \(text)") }
  }

  package mutating func add(_ other: FaultList) {
    counts.merge(other.counts) { $0 + $1 }
    first = first ?? other.first
    for example in other.examples where examples.count < Self.examplesPerFaultMax * Fault.allCases.count {
      examples.append(example)
    }
  }
}
