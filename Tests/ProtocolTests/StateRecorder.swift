import BaizeSync
import BaizeTable
import BaizeWire
import TestSupport
import Testing

/// Follows messages as a client does, twice: with the dull view and with the one that replicas use; and notes what each
/// step leads to.
struct StateRecorder {
  private(set) var steps: [StateVectors.Step] = []
  private var view = ReferenceView()
  private var replica: Table?
  private var loader: StateLoader?
  private var firstPart: SnapshotPart?
  private let type: TableType?

  /// - Parameter type: The table type; without it, one whose collections hold the items of the messages.
  init(type: TableType? = nil) { self.type = type }

  /// The next diff with these changes.
  func diff(_ changes: InlineList<Change>) -> Diff {
    Diff(
      revision: Revision(rawValue: view.revision + 1), author: SessionID(rawValue: 9),
      sequence: SequenceNumber(rawValue: view.revision), changes: changes)
  }

  /// Takes in messages and notes the step; what was sent must be what arrives.
  mutating func record(_ says: String, _ messages: [ServerMessage]) {
    let sent = messages.map { $0.encoded().hex }
    receive(sent, says)
    steps.append(step(says, sent))
  }

  /// The same, where the authority's own table must agree.
  mutating func record(
    _ says: String, _ messages: [ServerMessage], authority: inout Table, _ viewer: SeatNumber
  ) {
    record(says, messages)
    #expect(view.hash() == authority.viewHash(for: viewer), "the authority's hash, \(says)")
  }

  /// Runs a step as it was written down.
  mutating func run(_ step: StateVectors.Step) -> StateVectors.Step {
    receive(step.messages, step.says)
    return self.step(step.says, step.messages)
  }

  private func step(_ says: String, _ messages: [String]) -> StateVectors.Step {
    StateVectors.Step(
      says: says, messages: messages, revision: view.revision,
      collections: view.collections.map { $0.map(\.id.rawValue) }, status: view.status,
      hash: Self.hex(view.hash()))
  }

  private mutating func receive(_ messages: [String], _ says: String) {
    do {
      for hex in messages {
        let message = try ServerMessage(decoding: [UInt8](hex: hex))
        try view.receive(message)
        try follow(message)
      }
    } catch {
      Issue.record("\(says): \(error)")
    }
    #expect(replica?.viewHash() == view.hash(), "the replica's hash, \(says)")
  }

  private mutating func follow(_ message: ServerMessage) throws {
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
    case .welcome, .outcome, .drag, .pong, .seats, .goodbye, .unknown: break
    }
  }

  private static func openType(_ collections: [CollectionSummary]) -> TableType {
    TableType(
      name: "open", collections: collections.map { CollectionRules(id: $0.id, kind: 0) },
      kinds: [CollectionKind(name: "open", faces: .each)])
  }

  private static func hex(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
