import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A client machine and its connection, which delivers messages when a test asks for it.
final class Host {
  let daemon: Daemon
  private(set) var machine: ClientMachine
  private(set) var connection: ConnectionID?
  private(set) var answers: [Answer] = []
  private(set) var divergences = 0
  /// The contents of the session store, if the machine has one.
  private(set) var stored: [UInt8]?
  private(set) var sent: [ClientMessage] = []
  /// Since the last connection was made.
  private(set) var received: [ServerMessage] = []

  init(_ daemon: Daemon, type: String = "list?items=5", table: String = "t", role: Role = .player) {
    self.daemon = daemon
    var configuration = ClientConfiguration(table: table, tableType: type, role: role)
    configuration.backoffMilliseconds = 0
    machine = ClientMachine(configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
    handle { $0.start(at: daemon.now, into: &$1) }
    receive()
  }

  func handle(_ body: (inout ClientMachine, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&machine, &effects)
    for effect in effects {
      switch effect {
      case .persist: stored = machine.record?.encoded(key: "t")
      case .connect:
        connection = daemon.connect()
        received = []
        handle { $0.connected(at: daemon.now, into: &$1) }
      case .send(let message):
        sent.append(message)
        if let connection { daemon.receive(message, on: connection) }
      case .disconnect: connection = nil
      case .event(.answered(let answered)): answers.append(answered.answer)
      case .event(.diverged): divergences += 1
      case .event: break
      }
    }
  }

  @discardableResult
  func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Replica.Submission? {
    var submission: Replica.Submission?
    handle { submission = $0.submit(kind, sendsRefused: sendsRefused, at: daemon.now, into: &$1) }
    return submission
  }

  func undo(_ submission: Replica.Submission) -> Replica.Submission? {
    var undo: Replica.Submission?
    handle { undo = $0.undo(submission, at: daemon.now, into: &$1) }
    return undo
  }

  /// Receives everything but the messages that are to be lost.
  func receive(losing isLost: (ServerMessage) -> Bool = { _ in false }) {
    daemon.endTurn()
    guard let connection else { return }
    for message in daemon.take(connection) where !isLost(message) {
      received.append(message)
      handle { $0.receive(message, at: daemon.now, into: &$1) }
    }
  }

  /// Loses the connection, on both sides.
  func lose() {
    if let connection { daemon.lose(connection) }
    connection = nil
    handle { $0.closed(at: daemon.now, into: &$1) }
  }

  /// Loses the connection, and reconnects.
  func rejoin() {
    lose()
    reconnect()
  }

  /// Reconnects after the backoff, and receives.
  func reconnect() {
    daemon.pass(seconds: 10)
    handle { $0.tick(at: daemon.now, into: &$1) }
    for _ in 1...10 { receive() }
  }

  func item(_ number: Int) -> ItemID {
    guard let state = machine.replica?.state else { return .none }
    return state.itemIDs(in: CollectionHandle(rawValue: 1)).first { Peer.number(of: $0, in: state) == number }
      ?? .none
  }

  func move(_ number: Int) -> TableOperation.Kind { .reorder(drop([item(number)]), suggested: []) }

  /// Returns a move of items to the end of a collection.
  func drop(_ items: [ItemID], to collection: UInt32 = 1) -> ReorderDifference {
    ReorderDifference(sources: ItemList(items), destination: .end(of: CollectionHandle(rawValue: collection)))
  }

  func order() -> [Int] {
    guard let state = machine.replica?.state else { return [] }
    return state.itemIDs(in: CollectionHandle(rawValue: 1)).map { Peer.number(of: $0, in: state) }
  }

  /// The numbers of the operations that were sent, each as often as it was sent.
  var sentSequences: [UInt64] {
    sent.compactMap { if case .operation(let operation) = $0 { operation.sequence.rawValue } else { nil } }
  }

  var isConverged: Bool {
    guard machine.isLive, var replica = machine.replica else { return false }
    var truth = daemon.state
    return replica.pending.isEmpty && replica.confirmedHash() == truth.viewHash(for: replica.author.seat)
  }
}
