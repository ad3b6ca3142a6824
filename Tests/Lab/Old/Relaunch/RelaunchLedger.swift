/// A check of what must be true of a client's log and of the table in the end.
struct RelaunchLedger {
  private(set) var faults: [String] = []
  private(set) var operations = 0
  private(set) var accepted = 0
  private(set) var refused = 0
  /// The operations that a kill ended before the store had them. They have no effect.
  private(set) var notKept = 0
  private(set) var processes = 0

  /// - Parameters:
  ///   - client: The client's number.
  ///   - lines: Its log.
  ///   - marks: How often each mark is on the table.
  mutating func check(client: Int, _ lines: [RelaunchLog.Line], marks: [String: Int]) {
    var kinds: [Int: RelaunchOperation] = [:]
    var statuses: [Int: RelaunchStatus] = [:]
    var declined: Set<Int> = []
    var forgotten: Set<Int> = []
    var identity: RelaunchLog.Line?
    var saved = 0
    for line in lines {
      switch line {
      case .joined:
        processes += 1
        if let identity, identity != line { fault(client, "joined as '\(line.text)', before as '\(identity.text)'") }
        identity = identity ?? line
      case .intends(let number, let kind): kinds[number] = kind
      case .declined(let number): declined.insert(number)
      case .saved(let number): saved = max(saved, number)
      case .answered(let number, let status):
        if let known = statuses[number], known != status {
          fault(client, "operation \(number) was \(known.rawValue), and is \(status.rawValue)")
        }
        statuses[number] = status
      case .forgotten(let number):
        if number <= saved { fault(client, "operation \(number) was saved, and is forgotten") }
        forgotten.insert(number)
      }
    }
    for (number, kind) in kinds.sorted(by: { $0.key < $1.key }) {
      operations += 1
      let count = marks[Self.mark(client, number), default: 0]
      let isExpected: Bool
      if declined.contains(number) || forgotten.contains(number) {
        if forgotten.contains(number) { notKept += 1 }
        isExpected = statuses[number] == nil && count == 0
      } else {
        switch (kind, statuses[number]) {
        case (.insert, .accepted): isExpected = count == 1
        case (.move, .accepted), (.move, .unchanged), (.refused, .refused): isExpected = true
        // The item to move may have been inserted by an operation that a kill ended before the store had it.
        case (.move, .refused): isExpected = true
        case (.insert, _), (.move, _), (.refused, _): isExpected = false
        }
      }
      if statuses[number] == .accepted { accepted += 1 }
      if statuses[number] == .refused { refused += 1 }
      if !isExpected {
        fault(
          client,
          "operation \(number) (\(kind.rawValue)) is "
            + "\(forgotten.contains(number) ? "forgotten" : statuses[number]?.rawValue ?? "open"), and is there \(count) times"
        )
      }
    }
    let known = Set(kinds.keys.map { Self.mark(client, $0) })
    for mark in marks.keys.sorted() where mark.hasPrefix("\(client)-") && !known.contains(mark) {
      fault(client, "nobody submitted \(mark)")
    }
  }

  /// Returns the mark of an item that an operation inserts.
  static func mark(_ client: Int, _ number: Int) -> String { "\(client)-\(number)" }

  private mutating func fault(_ client: Int, _ text: String) { faults.append("client \(client): \(text)") }
}
