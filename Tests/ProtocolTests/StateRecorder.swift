import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// Follows messages as a replica does, and notes the state that each step leads to. The view in
/// `Tests/ForeignClient/foreign_client.py`, written by the rules of `Protocol` alone, follows the same steps.
struct StateRecorder {
  private(set) var steps: [StateVectors.Step] = []
  private var replica: Table?
  private var loader: StateLoader?
  private var firstPart: SnapshotPart?
  private let type: TableType?

  /// - Parameter type: The table type; without it, one whose collections hold the items of the messages.
  init(type: TableType? = nil) { self.type = type }

  /// Returns the next diff with these changes.
  func diff(_ changes: InlineList<Change>) -> Diff {
    let revision = replica?.state.revision ?? .zero
    return Diff(
      revision: revision.next, author: SessionID(rawValue: 9), sequence: SequenceNumber(rawValue: revision.rawValue),
      changes: changes)
  }

  /// Receives messages in their encoded form and records the step.
  mutating func record(_ says: String, _ messages: [ServerMessage]) {
    steps.append(run(says, messages.map { $0.encoded().hex }))
  }

  /// Records the step, after which the replica must have the authority's hash.
  mutating func record(_ says: String, _ messages: [ServerMessage], authority: inout Table, _ viewer: SeatNumber) {
    record(says, messages)
    #expect(replica?.viewHash() == authority.viewHash(for: viewer), "the authority's hash, \(says)")
  }

  /// Receives the messages of a step, and returns the step with the state that they lead to.
  mutating func run(_ says: String, _ messages: [String]) -> StateVectors.Step {
    do {
      for hex in messages { try receive(ServerMessage(decoding: [UInt8](hex: hex))) }
    } catch {
      Issue.record("\(says): \(error)")
    }
    let collections = replica.map { table in
      table.state.handles.map { table.state.itemIDs(in: $0).map(\.rawValue) }
    }
    return StateVectors.Step(
      says: says, messages: messages, revision: replica?.state.revision.rawValue ?? 0, collections: collections ?? [],
      status: replica?.state.status ?? "", hash: Self.hex(replica?.viewHash() ?? 0))
  }

  private mutating func receive(_ message: ServerMessage) throws {
    switch message {
    case .snapshot(let part):
      if part.isFirst {
        loader = StateLoader(type: type ?? Self.openType(part.collections))
        firstPart = part
      }
      try loader?.add(part)
      guard part.isComplete, let loaded = loader, let first = firstPart else { return }
      replica = Table(
        replicaOf: loaded.finish(
          revision: part.revision, status: first.status, variables: first.variables, seats: first.seats))
    case .diff(let diff): try replica?.apply(diff)
    case .welcome, .outcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye,
      .unknown:
      break
    }
  }

  private static func openType(_ collections: [CollectionSummary]) -> TableType {
    // The items of "columns" open collections.
    TableType(
      name: "open", collections: collections.map { CollectionRules(id: $0.id, kind: $0.id == "columns" ? 1 : 0) },
      kinds: [
        CollectionKind(name: "open", faces: .each), CollectionKind(name: "columns", opens: Opening(2)),
        CollectionKind(name: "column"),
      ])
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
