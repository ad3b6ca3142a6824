import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// L1–L5: a client that reaches a limit receives its reason, and no other table is affected (I8).
@Suite struct LimitReasonTests {
  /// A client that exceeds a limit at table `t`, and the last message from the daemon.
  final class Offender {
    let daemon: Daemon
    let onlooker: Host
    private(set) var connection: ConnectionID
    private(set) var reason: String?

    init(_ daemon: Daemon, _ onlooker: Host) {
      self.daemon = daemon
      self.onlooker = onlooker
      connection = daemon.connect()
    }

    /// Continues on a connection that has sent nothing.
    func connect() { connection = daemon.connect() }

    func join(_ table: String = "t", _ type: String = "list?items=5") {
      send(.hello(Hello(table: table, tableType: type, name: "offender")))
    }

    /// Operation `number`, based on the table's first state with the seat taken.
    func ask(_ number: UInt64, unanswered: UInt32 = 0, _ kind: TableOperation.Kind) {
      send(
        .operation(
          TableOperation(
            sequence: SequenceNumber(rawValue: number), base: Revision(rawValue: 1), epoch: Epoch(rawValue: 1),
            unanswered: unanswered, kind: kind)))
    }

    func send(_ message: ClientMessage) {
      daemon.receive(message, on: connection)
      receive()
    }

    /// Advances time, while the onlooker sends pings and this client sends nothing.
    func wait(seconds: UInt64) {
      for _ in 0..<seconds {
        daemon.pass(seconds: 1)
        onlooker.tick()
        onlooker.receive()
      }
      daemon.tick()
      receive()
    }

    private func receive() {
      daemon.endTurn()
      for message in daemon.take(connection) {
        if let outcome = message.outcome { reason = outcome.refusal.reason.rawValue }
        if let goodbye = message.goodbye { reason = goodbye.reason.rawValue }
      }
    }
  }

  struct Case: CustomTestStringConvertible {
    let limit: String
    let reason: String
    let lower: @Sendable (inout SyncLimits) -> Void
    let offend: @Sendable (Offender) -> Void
    var testDescription: String { "\(limit): \(reason)" }

    init(
      _ limit: String, _ reason: String, _ lower: @escaping @Sendable (inout SyncLimits) -> Void,
      offend: @escaping @Sendable (Offender) -> Void
    ) {
      self.limit = limit
      self.reason = reason
      self.lower = lower
      self.offend = offend
    }
  }

  private static let nothing = TableOperation.Kind.remove([ItemID(rawValue: 999)])
  private static let three = [NewItem](repeating: NewItem(), count: 3)
  private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }
  private static func long(_ bytes: Int) -> NewItem { NewItem(attributes: [Attribute("title", text(bytes))]) }
  private static let list = CollectionHandle(rawValue: 1)

  static let cases = [
    Case("handshakeSeconds", "TIMEOUT", { $0.connections.handshakeSeconds = 5 }) { $0.wait(seconds: 5) },
    Case("heartbeatSeconds", "TIMEOUT", { $0.connections.heartbeatSeconds = 5 }) {
      $0.join()
      $0.wait(seconds: 15)
    },
    Case("stalledSeconds", "SLOW", { $0.connections.stalledSeconds = 5 }) {
      $0.join()
      $0.daemon.backlog(of: $0.connection, 100)
      $0.wait(seconds: 5)
    },
    Case("sessionsPerTableMax", "TABLE_FULL", { $0.sessions.sessionsPerTableMax = 1 }) {
      $0.join()
      $0.connect()
      $0.join()
    },
    Case("tablesPerShardMax", "TOO_MANY_TABLES", { $0.tables.tablesPerShardMax = 1 }) { $0.join() },
    Case("itemsPerTableMax, at the making", "TABLE_SIZE", { $0.tables.itemsPerTableMax = 8 }) {
      $0.join("t", "list?items=9")
    },
    Case("itemsPerTableMax", "TABLE_SIZE", { $0.tables.itemsPerTableMax = 7 }) {
      $0.join()
      $0.ask(1, .insert(three, .end(of: list)))
    },
    Case("contentBytesPerTableMax, at the making", "TABLE_SIZE", { $0.tables.contentBytesPerTableMax = 9_000 }) {
      $0.join("t", "list?items=100")
    },
    Case("contentBytesPerTableMax", "TABLE_SIZE", { $0.tables.contentBytesPerTableMax = 5_000 }) {
      $0.join()
      $0.ask(1, .insert([long(5_000)], .end(of: list)))
    },
    Case("contentBytesPerTableMax, by an update", "TABLE_SIZE", { $0.tables.contentBytesPerTableMax = 5_000 }) {
      $0.join()
      $0.ask(1, .update(ItemID(rawValue: 1), attributes: [Attribute("title", text(5_000))], representations: []))
    },
    Case("contentBytesPerShardMax", "TOO_MANY_TABLES", { $0.tables.contentBytesPerShardMax = 4_000 }) {
      $0.join("t", "list?items=100")
    },
    Case("contentBytesPerShardMax, of an address", "TABLE_SIZE", { $0.tables.contentBytesPerShardMax = 6_000 }) {
      $0.join()
      $0.ask(1, .insert([long(5_000)], .end(of: list)))
    },
    Case("itemsPerOperationMax, named", "TOO_MANY_ITEMS", { $0.tables.itemsPerOperationMax = 2 }) {
      $0.join()
      $0.ask(1, .remove(ItemList((1...3).map { ItemID(rawValue: $0) })))
    },
    Case("itemsPerOperationMax, brought", "TOO_MANY_ITEMS", { $0.tables.itemsPerOperationMax = 2 }) {
      $0.join()
      $0.ask(1, .insert(three, .end(of: list)))
    },
    Case(
      "operationsPerSecondMax", "RATE_LIMITED",
      {
        $0.sessions.operationsPerSecondMax = 1
        $0.sessions.operationsBurstMax = 1
      }
    ) { offender in
      offender.join()
      for number in 1...3 as ClosedRange<UInt64> { offender.ask(number, nothing) }
    },
    Case("pendingOperationsMax", "TOO_MANY_PENDING", { $0.sessions.pendingOperationsMax = 2 }) {
      $0.join()
      $0.ask(1, unanswered: 2, nothing)
    },
  ]

  @Test(arguments: cases) func `reaching a limit gives its own reason and does not disturb another table`(
    reached: Case
  ) {
    let daemon = Daemon(reached.lower)
    let onlooker = Host(daemon, table: "other")
    let offender = Offender(daemon, onlooker)
    reached.offend(offender)
    #expect(offender.reason == reached.reason)
    onlooker.ask(onlooker.move(3))
    #expect(onlooker.order() == [1, 2, 4, 5, 3] && onlooker.isConverged)
  }

  /// An operation over the rate has no effect, however many items it has, and its whole effect when it is sent again.
  @Test func `an operation over the rate limit is not partly applied`() {
    let peer = Peer(
      Daemon {
        $0.sessions.operationsPerSecondMax = 1
        $0.sessions.operationsBurstMax = 1
      })
    for _ in 1...2 { peer.ask(Self.nothing) }
    peer.ask(peer.move(1, 2, 3))
    #expect(peer.replica?.retryReason?.reason == .rateLimited && peer.daemon.state.revision == Revision(rawValue: 1))
    peer.daemon.pass(seconds: 1)
    peer.reexpress()
    peer.exchange()
    #expect(peer.order() == [4, 5, 1, 2, 3] && peer.isConverged)
  }

  /// I3: an operation that was not judged is answered after a backlog, even if earlier ones were sent again meanwhile.
  @Test func `an operation sent again does not delay other answers`() {
    let daemon = Daemon()
    let peer = Peer(daemon)
    daemon.backlog(of: peer.connection, SyncLimits().connections.outboxHardBytes + 1)
    let early = peer.forged(1, base: 1, epoch: 9, peer.move(1))
    for message in [early, peer.forged(2, base: 1, peer.move(2)), early, peer.forged(1, base: 1, peer.move(1))] {
      peer.send(message)
    }
    daemon.backlog(of: peer.connection, 0)
    daemon.endTurn()
    peer.receive()
    #expect(peer.outcomes.map(\.sequence.rawValue) == [1, 2])
    #expect(peer.outcomes.map(\.verdict) == [.duplicate, .retry])
    peer.exchange(peer.forged(2, base: 1, peer.move(2)))
    #expect(daemon.state.revision.rawValue == 3)
  }

  /// I3: operations that cannot be answered yet are judged only as far as answers are kept, whatever their author sends.
  @Test func `answers in a backlog are not lost`() {
    let daemon = Daemon { $0.sessions.pendingOperationsMax = 2 }
    let peer = Peer(daemon)
    daemon.backlog(of: peer.connection, SyncLimits().connections.outboxHardBytes + 1)
    for number in 1...4 as ClosedRange<UInt64> { peer.send(peer.forged(number, base: 1, peer.move(Int(number)))) }
    daemon.backlog(of: peer.connection, 0)
    daemon.endTurn()
    peer.receive()
    #expect(peer.outcomes.map(\.sequence.rawValue) == [1, 2, 3, 4])
    #expect(peer.outcomes.map(\.verdict) == [.duplicate, .duplicate, .retry, .retry])
    #expect(peer.outcomes.last?.refusal.reason == .tooManyPending)
  }

  /// A part ends at the first item that reaches its bytes, however long the items are.
  @Test func `a part of a snapshot has at most one item too many`() {
    let daemon = Daemon()
    let peer = Peer(daemon)
    let long = NewItem(representations: [
      Representation(contentType: "text/plain", data: [UInt8](repeating: 0, count: 25_000))
    ])
    for _ in 1...4 { peer.ask(.insert([NewItem](repeating: long, count: 10), .end(of: Self.list))) }
    let counts = Snapshot.parts(of: daemon.state).map(\.items.count)
    #expect(counts.reduce(0, +) == 45 && counts.allSatisfy { $0 <= 7 })
  }
}
