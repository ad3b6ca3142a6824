/// What must never happen to those who come back.
enum Fault: String, CaseIterable {
  /// An operation was accepted, and its effect is not there.
  case lost
  /// An operation had two effects, or two answers.
  case doubled
  /// An effect is there whose operation was not accepted.
  case ghost
  /// An operation, or a revision, was told to be one thing and later another.
  case changed
  /// An operation never got an answer, or only that its session is gone.
  case unanswered
  /// A copy of a table is not what the daemon has.
  case diverged
  /// What someone had seen was taken back.
  case wentBack
  /// A revision was left out, or came out of turn.
  case gap
  /// A client was turned away, or could not come back.
  case shutOut
}

/// The faults that were found: how many of each kind, and the first few in words.
struct FaultList {
  private(set) var counts: [Fault: Int] = [:]
  private(set) var examples: [String] = []

  static let examplesPerFaultMax = 4

  var isEmpty: Bool { counts.isEmpty }
  var total: Int { counts.values.reduce(0, +) }

  subscript(fault: Fault) -> Int { counts[fault] ?? 0 }

  mutating func note(_ fault: Fault, _ text: String) {
    counts[fault, default: 0] += 1
    if counts[fault, default: 0] <= Self.examplesPerFaultMax { examples.append("\(fault.rawValue): \(text)") }
  }

  mutating func add(_ other: FaultList) {
    counts.merge(other.counts) { $0 + $1 }
    for example in other.examples where examples.count < Self.examplesPerFaultMax * Fault.allCases.count {
      examples.append(example)
    }
  }
}
