import BaizeSimulator
import BaizeTable
import BaizeTableTypes
import BaizeWire
import Testing

@testable import BaizeClient
@testable import BaizeSync

/// I10: items of operations that an earlier process has submitted keep their ids, too.
@Suite struct RestoredIdentityTests {
  private static let document = """
    {"baize": 1, "name": "t", "title": "T", "seats": {"max": 2},
     "collections": [{"kind": "items", "accept": {"inserts": true}}]}
    """
  private static let items = CollectionHandle(rawValue: 1)
  private static let session = SessionID(rawValue: 5)
  private static let ticket = [UInt8](repeating: 1, count: 16)

  /// The state that the daemon, the app's thread and the loop's thread of a client would share.
  private struct Relaunched {
    var core: ClientCore
    var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var sent: [ClientMessage] = []

    init(pending count: Int) {
      var record = ClientRecord()
      record.session = ClientRecord.Session(
        id: RestoredIdentityTests.session, seat: SeatNumber(rawValue: 1), ticket: RestoredIdentityTests.ticket)
      record.epoch = Epoch(rawValue: 1)
      record.pending = (1...count).map { number in
        ClientRecord.Pending(
          operation: TableOperation(
            sequence: SequenceNumber(rawValue: UInt64(number) + 4), base: Revision(rawValue: 1),
            epoch: Epoch(rawValue: 1), unanswered: UInt32(number - 1),
            kind: .insert([NewItem()], .end(of: RestoredIdentityTests.items))),
          identity: OperationIdentity(id: OperationID(rawValue: "\(number)"), submittedAt: 1))
      }
      var configuration = ClientConfiguration(table: "t", tableType: "t")
      configuration.backoffMilliseconds = 0
      let machine = ClientMachine(
        configuration: configuration, types: TableTypeCompiler(), random: RandomSource(seed: 1), record: record)
      core = ClientCore(machine, joinDeadline: Instant(nanoseconds: .max), stored: nil)
      handle(.started)
    }

    mutating func handle(_ event: HostEvent) {
      var commands: [HostCommand] = []
      var deferred = ClientCore.Deferred()
      core.handle(event, at: now, into: &commands, &deferred)
      for command in commands {
        if case .send(let message) = command { sent.append(message) }
      }
    }

    mutating func receive(_ message: ServerMessage) { message.encoded().withUnsafeBytes { handle(.frame($0)) } }

    /// Connects, and receives a table without items.
    mutating func join(epoch: UInt64) {
      handle(.connected)
      receive(
        .welcome(
          Welcome(
            session: RestoredIdentityTests.session, seat: SeatNumber(rawValue: 1),
            ticket: RestoredIdentityTests.ticket, epoch: Epoch(rawValue: epoch), revision: Revision(rawValue: 1),
            lastSequence: .zero, tableType: RestoredIdentityTests.document, frameBytesMax: 262_144, history: 1_024,
            heartbeatSeconds: 15, server: "baized", pendingMax: 256)))
      receive(
        .snapshot(
          SnapshotPart(
            epoch: Epoch(rawValue: epoch), revision: Revision(rawValue: 1),
            collections: [CollectionSummary(handle: RestoredIdentityTests.items, id: "items", count: 0)],
            status: "open", isComplete: true, isFirst: true,
            seats: [Seat(number: SeatNumber(rawValue: 1), name: "a", person: RestoredIdentityTests.session)])))
    }

    mutating func loseConnection() {
      handle(.closed(reason: "lost"))
      now = now.advanced(byMilliseconds: 60_000)
      handle(.woken)
    }

    var shown: [ItemID] {
      let items = core.replica?.state.items(in: RestoredIdentityTests.items, from: 0, limit: .max) ?? []
      return core.identities.shown(items).map(\.id)
    }
  }

  @Test func `an item of an earlier process keeps its id in a new epoch and when it is accepted`() throws {
    var client = Relaunched(pending: 3)
    client.join(epoch: 1)
    let shown = client.shown
    #expect(shown.count == 3 && shown.allSatisfy(\.isLocal))
    // The daemon has restarted, and numbers the operations anew.
    client.loseConnection()
    client.join(epoch: 2)
    #expect(client.shown == shown)
    let first = try #require(client.core.replica?.pending.first?.operation)
    #expect(first.sequence == SequenceNumber(rawValue: 1))
    let item = ItemID(rawValue: 9)
    client.receive(
      .diff(
        Diff(
          revision: Revision(rawValue: 2), author: Self.session, sequence: first.sequence,
          changes: [.inserted([Item(id: item, collection: Self.items)], .end(of: Self.items))], minted: [item])))
    #expect(client.shown == shown && client.core.identities.tableID(of: shown[0]) == item)
    // The outcome names the item as this process shows it.
    #expect(client.core.status(of: "1") == .accepted(Revision(rawValue: 2), items: [shown[0]]))
    #expect(client.core.waiting(at: client.now).count == 2)
  }

  @Test func `an operation of this process keeps its id beside those of an earlier one`() throws {
    var client = Relaunched(pending: 2)
    client.join(epoch: 1)
    var deferred = ClientCore.Deferred()
    let submission = client.core.submit(
      .insert([NewItem()], .end(of: Self.items)), id: "own", sendsRefused: false, at: client.now, &deferred)
    let shown = client.shown
    #expect(shown.count == 3 && submission.createdItems == [shown[2]])
    client.loseConnection()
    client.join(epoch: 2)
    #expect(client.shown == shown)
  }
}
