import BaizeTable
import BaizeWorkload

/// A check of what must be true of the clients' logs and of the table in the end: a ledger of their operations, that each
/// has the verdict it must have, that what was saved is known, and that every client keeps its session and seat.
struct RelaunchCheck {
  private var ledger = OperationLedger()
  private var own = FaultList()
  /// The operations that a kill ended before the store had them, and those that the client itself refused: both have no effect.
  private var (notKept, declined) = (0, 0)
  private var processes = 0

  var faults: FaultList {
    var faults = ledger.faults
    faults.add(own)
    return faults
  }

  var text: String {
    let refused = (ledger.counts[.refused] ?? 0) - notKept - declined
    return "\(processes) processes, \(ledger.submittedCount) operations: \(ledger.counts[.accepted] ?? 0) accepted, "
      + "\(refused) refused, \(declined) declined by the client, \(notKept) ended before the store had them"
  }

  /// Enters the log of a client.
  mutating func note(_ lines: [RelaunchLog.Line], of client: Int) {
    var operations: [Int: RelaunchOperation] = [:]
    var identity: RelaunchLog.Line?
    var saved = 0
    for line in lines {
      if line.event == .joined {
        processes += 1
        if let identity, identity != line {
          own.note(.changed, "client \(client) joined as '\(line.text)', before as '\(identity.text)'")
        }
        identity = identity ?? line
      } else if line.event == .saved {
        saved = max(saved, line.number)
      } else if line.event == .intends, let operation = RelaunchOperation(rawValue: line.detail) {
        operations[line.number] = operation
        ledger.submitted(operation.kind(line.number, of: client), mark: nil, by: client)
      } else if let operation = operations[line.number] {
        // What was declined or forgotten has no effect, as if it were refused.
        let verdict = line.event == .answered ? Self.verdicts[line.detail] ?? .unknown : .refused
        if line.event == .answered, !operation.verdicts.contains(verdict) {
          own.note(.changed, "client \(client): operation \(line.number) (\(operation.rawValue)) is \(line.detail)")
        }
        if line.event == .forgotten { notKept += 1 }
        if line.event == .declined { declined += 1 }
        if line.event == .forgotten, line.number <= saved {
          own.note(.lost, "client \(client): operation \(line.number) was saved, and is forgotten")
        }
        ledger.answered(operation.kind(line.number, of: client), verdict, to: client)
      }
    }
  }

  private static let verdicts: [String: OperationLedger.Verdict] = [
    "accepted": .accepted, "unchanged": .unchanged, "refused": .refused,
  ]

  /// Compares all logs with the table.
  mutating func compare(with items: [MarkedItem]) { ledger.compare(with: items) }
}

extension RelaunchOperation {
  /// The verdicts that it may have. An item to move may have been inserted by an operation that a kill ended before the store
  /// had it.
  fileprivate var verdicts: Set<OperationLedger.Verdict> {
    switch self {
    case .insert: [.accepted]
    case .move: [.accepted, .unchanged, .refused]
    case .refused: [.refused]
    }
  }

  /// Returns an operation that stands for it in the ledger: no other of the client's is the same.
  fileprivate func kind(_ number: Int, of client: Int) -> TableOperation.Kind {
    let (item, collection) = (ItemID(rawValue: UInt64(number)), CollectionHandle(rawValue: 1))
    return switch self {
    case .insert: .insert([Mark(player: client, number: number).newItem], .end(of: collection))
    case .move: .move([item], to: .end(of: collection))
    case .refused: .remove([item])
    }
  }
}
