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
  mutating func note(_ events: [RelaunchEvent], of client: Int) {
    var operations: [Int: (operation: RelaunchOperation, entry: Int)] = [:]
    var identity: RelaunchEvent?
    var saved = 0
    for event in events {
      switch event {
      case .joined:
        processes += 1
        if let identity, identity != event {
          own.note(.changed, "client \(client) joined as \(event), before as \(identity)")
        }
        identity = identity ?? event
      case .intends(let number, let operation):
        operations[number] = (operation, ledger.submitted(operation.kind(number, of: client), by: client))
      case .saved(let number): saved = max(saved, number)
      case .answered(let number, let verdict):
        guard let (operation, entry) = operations[number] else { continue }
        if !operation.verdicts.contains(verdict) {
          own.note(.changed, "client \(client): operation \(number) (\(operation)) is \(verdict)")
        }
        ledger.answered(entry, verdict)
      // What was declined or forgotten has no effect, as if it were refused.
      case .declined(let number):
        declined += 1
        if let entry = operations[number]?.entry { ledger.answered(entry, .refused) }
      case .forgotten(let number):
        notKept += 1
        if number <= saved {
          own.note(.lost, "client \(client): operation \(number) was saved, and is forgotten")
        }
        if let entry = operations[number]?.entry { ledger.answered(entry, .refused) }
      }
    }
  }

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

  /// Returns an operation that stands for it in the ledger, which follows marks only.
  fileprivate func kind(_ number: Int, of client: Int) -> TableOperation.Kind {
    let collection = CollectionHandle(rawValue: 1)
    return switch self {
    case .insert: .insert([Mark(player: client, number: number).newItem], .end(of: collection))
    case .move: .move([], to: .end(of: collection))
    case .refused: .remove([])
    }
  }
}
