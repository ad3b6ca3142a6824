import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A client machine and its connection, which delivers messages when a test asks for it.
class Host {
  let daemon: Daemon
  private let configuration: ClientConfiguration
  private(set) var machine: ClientMachine
  private(set) var connection: ConnectionID?
  private(set) var answered: [Answered] = []
  private(set) var divergences = 0
  private(set) var sent: [ClientMessage] = []
  /// Since the last connection was made.
  private(set) var received: [ServerMessage] = []

  /// - Parameter record: What a session store has, for a client that keeps one.
  init(
    _ daemon: Daemon, type: String = "list?items=5", table: String = "t", role: Role = .player,
    record: ClientRecord? = nil
  ) {
    self.daemon = daemon
    var configuration = ClientConfiguration(table: table, tableType: type, role: role)
    configuration.backoffMilliseconds = 0
    configuration.credential = daemon.newCredential()
    self.configuration = configuration
    machine = Self.machine(configuration, record)
    handle { $0.start(at: daemon.now, into: &$1) }
    receive()
  }

  private static func machine(_ configuration: ClientConfiguration, _ record: ClientRecord?) -> ClientMachine {
    ClientMachine(
      configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1), record: record)
  }

  /// Starts another process.
  func restart(with record: ClientRecord) {
    machine = Self.machine(configuration, record)
    handle { $0.start(at: daemon.now, into: &$1) }
  }

  // MARK: Effects

  func handle(_ body: (inout ClientMachine, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&machine, &effects)
    carryOut(effects)
  }

  func carryOut(_ effects: [ClientEffect]) {
    for effect in effects { carryOut(effect) }
    if effects.contains(where: \.isConnect) { connect() }
  }

  /// As with a network, the connection is open only after the present event.
  func connect() {
    connection = daemon.connect()
    received = []
    handle { $0.connected(at: daemon.now, into: &$1) }
  }

  func carryOut(_ effect: ClientEffect) {
    switch effect {
    case .send(let message):
      sent.append(message)
      if let connection { daemon.receive(message, on: connection) }
    case .refreshToken: break
    case .disconnect: connection = nil
    case .event(.answered(let answered)): self.answered.append(answered)
    case .event(.diverged): divergences += 1
    case .connect, .persist, .event: break
    }
  }

  // MARK: The connection

  /// Receives everything but the messages that are to be lost.
  func receive(losing isLost: (ServerMessage) -> Bool = { _ in false }) {
    daemon.endTurn()
    guard let connection else { return }
    for message in daemon.take(connection) where self.connection == connection && !isLost(message) {
      received.append(message)
      handle { $0.receive(message, at: daemon.now, into: &$1) }
    }
  }

  /// Loses the connection, on both sides.
  func lose() {
    disconnect(tellsDaemon: true)
    handle { $0.closed(at: daemon.now, into: &$1) }
  }

  func disconnect(tellsDaemon: Bool) {
    if tellsDaemon, let connection { daemon.lose(connection) }
    connection = nil
  }

  /// Loses the connection, and reconnects.
  func rejoin() {
    lose()
    reconnect()
  }

  /// Reconnects after the backoff, and receives.
  func reconnect() {
    tick(afterMilliseconds: 10_000)
    for _ in 1...10 { receive() }
  }

  func tick(afterMilliseconds milliseconds: UInt64 = 0) {
    daemon.pass(milliseconds: milliseconds)
    handle { $0.tick(at: daemon.now, into: &$1) }
  }

  // MARK: Operations

  @discardableResult
  func submit(
    _ kind: TableOperation.Kind, sendsRefused: Bool = false, id: OperationID? = nil
  ) -> Replica.Submission? {
    var submission: Replica.Submission?
    handle { submission = $0.submit(kind, sendsRefused: sendsRefused, id: id, at: daemon.now, into: &$1) }
    return submission
  }

  /// Submits an operation, and receives its answer.
  @discardableResult
  func ask(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Replica.Submission? {
    let submission = submit(kind, sendsRefused: sendsRefused)
    receive()
    return submission
  }

  func undo(_ submission: Replica.Submission) -> Replica.Submission? {
    var undo: Replica.Submission?
    handle { undo = $0.undo(submission, at: daemon.now, into: &$1) }
    return undo
  }

  func move(_ number: Int) -> TableOperation.Kind { .reorder(drop([item(number)]), suggested: []) }

  /// Returns a move of items to the end of a collection.
  func drop(_ items: [ItemID], to collection: UInt32 = 1) -> ReorderDifference {
    ReorderDifference(sources: ItemList(items), destination: .end(of: CollectionHandle(rawValue: collection)))
  }

  // MARK: State

  var answers: [Answer] { answered.map(\.answer) }

  /// What it shows; `nil` before it has joined.
  var state: TableState? { machine.replica?.state }

  func item(_ number: Int) -> ItemID {
    guard let state else { return .none }
    return state.itemIDs(in: .first).first { Peer.number(of: $0, in: state) == number } ?? .none
  }

  func order() -> [Int] {
    guard let state else { return [] }
    return state.itemIDs(in: .first).map { Peer.number(of: $0, in: state) }
  }

  /// The numbers of the operations that were sent, each as often as it was sent.
  var sentSequences: [UInt64] { sent.compactMap(\.operation?.sequence.rawValue) }

  /// Receives, and returns whether it is as the daemon then.
  func catchUp() -> Bool {
    receive()
    return isConverged
  }

  var isConverged: Bool {
    guard machine.isLive, var replica = machine.replica else { return false }
    var truth = daemon.state
    return replica.pending.isEmpty && replica.confirmedHash() == truth.viewHash(for: replica.author.seat)
  }
}

extension ClientEffect {
  var isConnect: Bool { if case .connect = self { true } else { false } }
}
