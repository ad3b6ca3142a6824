import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload

@testable import BaizeSync

/// A client machine with a session store, as a host runs it, which can be killed behind any of its effects.
final class KeptClient {
  /// A mistake of a host or of a store, which the tests must find.
  enum Fault: CaseIterable {
    /// The store is written behind the messages that need it.
    case sendsFirst
    /// The store keeps the last write but one.
    case forgetsLastWrite
  }

  private struct Killed: Error {}

  let daemon: Daemon
  let type: String
  private(set) var machine: ClientMachine
  private(set) var connection: ConnectionID?
  /// The contents of the store.
  private(set) var stored: [UInt8]?
  private var storedLast: [UInt8]?
  /// The answers by the operations' ids, of all processes. An operation is answered again after a relaunch.
  private(set) var answers: [OperationID: [Answer]] = [:]
  private(set) var sent: [ClientMessage] = []
  /// The number of operations that were sent and were not in the store.
  private(set) var sentUnstored = 0
  private(set) var sessions: Set<SessionID> = []
  private(set) var seats: Set<SeatNumber> = []
  /// The number of effects until the process is killed.
  var effectsUntilKill = Int.max
  private(set) var kills = 0
  var fault: Fault?
  /// Whether writes of the store fail.
  var isStoreBroken = false
  private var isAlive = true

  static let key = "t at somewhere"

  init(_ daemon: Daemon, type: String = "list?items=3") {
    self.daemon = daemon
    self.type = type
    machine = Self.machine(type, ClientRecord())
    handle { $0.start(at: daemon.now, into: &$1) }
    receive()
  }

  private static func machine(_ type: String, _ record: ClientRecord) -> ClientMachine {
    var configuration = ClientConfiguration(table: "t", tableType: type)
    configuration.backoffMilliseconds = 0
    return ClientMachine(
      configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1), record: record)
  }

  // MARK: Processes

  /// Ends the process and starts another one with the store.
  func relaunch(killedAfter effects: Int = .max) throws(ClientRecordError) {
    kill()
    isAlive = true
    effectsUntilKill = effects
    let record = try stored.map { bytes throws(ClientRecordError) in
      try ClientRecord(decoding: bytes, key: Self.key)
    }
    machine = Self.machine(type, record ?? ClientRecord())
    handle { $0.start(at: daemon.now, into: &$1) }
    settle()
  }

  func kill() {
    lose(tellsMachine: false)
    isAlive = false
    effectsUntilKill = .max
  }

  var wasKilled: Bool { !isAlive }

  // MARK: Effects

  func handle(_ body: (inout ClientMachine, inout [ClientEffect]) -> Void) {
    guard isAlive else { return }
    var effects: [ClientEffect] = []
    body(&machine, &effects)
    if fault == .sendsFirst { effects = effects.filter(\.isOther) + effects.filter { !$0.isOther } }
    var hasFailed = false
    var connects = false
    for effect in effects {
      if hasFailed, case .send = effect { continue }
      guard isAlive else { return }
      if case .connect = effect { connects = true }
      carryOut(effect, &hasFailed)
      effectsUntilKill -= 1
      if effectsUntilKill == 0 {
        kills += 1
        kill()
      }
    }
    if hasFailed { handle { $0.persistFailed("no room", at: daemon.now, into: &$1) } }
    // As with a network, the connection is open only after the present event.
    guard connects, isAlive else { return }
    connection = daemon.connect()
    handle { $0.connected(at: daemon.now, into: &$1) }
  }

  private func carryOut(_ effect: ClientEffect, _ hasFailed: inout Bool) {
    switch effect {
    case .persist: if isStoreBroken { hasFailed = true } else { write() }
    case .send(let message): send(message)
    case .disconnect: lose(tellsMachine: false)
    case .event(.answered(let answered)): if let id = answered.id { answers[id, default: []].append(answered.answer) }
    case .event(.joined(let session, let seat)):
      sessions.insert(session)
      seats.insert(seat)
    case .event, .connect: break
    }
  }

  private func write() {
    let bytes = machine.record?.encoded(key: Self.key)
    stored = fault == .forgetsLastWrite ? storedLast : bytes
    storedLast = bytes
  }

  private func send(_ message: ClientMessage) {
    sent.append(message)
    if case .operation(let operation) = message {
      let record = stored.flatMap { try? ClientRecord(decoding: $0, key: Self.key) }
      if record?.pending.contains(where: { $0.operation == operation }) != true { sentUnstored += 1 }
    }
    if let connection { daemon.receive(message, on: connection) }
  }

  // MARK: The connection

  func receive() {
    daemon.endTurn()
    guard let connection else { return }
    for message in daemon.take(connection) where self.connection == connection {
      handle { $0.receive(message, at: daemon.now, into: &$1) }
    }
  }

  func lose(tellsMachine: Bool = true, tellsDaemon: Bool = true) {
    if tellsDaemon, let connection {
      daemon.lose(connection)
      daemon.endTurn()
    }
    connection = nil
    if tellsMachine { handle { $0.closed(at: daemon.now, into: &$1) } }
  }

  /// Lets time pass and receives, until nothing more happens.
  func settle() {
    for _ in 1...6 {
      daemon.pass(seconds: 2)
      handle { $0.tick(at: daemon.now, into: &$1) }
      for _ in 1...4 { receive() }
    }
  }

  // MARK: Operations

  @discardableResult
  func submit(_ kind: TableOperation.Kind, id: OperationID? = nil) -> Replica.Submission? {
    var submission: Replica.Submission?
    handle { submission = $0.submit(kind, id: id, at: daemon.now, into: &$1) }
    return submission
  }

  /// Inserts an item with a number under an id of the same number, before another item if that is given.
  @discardableResult
  func insert(_ number: Int, before anchor: Int? = nil) -> Replica.Submission? {
    let handle = CollectionHandle(rawValue: 1)
    let destination: Destination = anchor.map { .before(item($0), in: handle) } ?? .end(of: handle)
    return submit(
      .insert([NewItem(attributes: [Attribute("number", Int64(number))])], destination), id: Self.id(number))
  }

  static func id(_ number: Int) -> OperationID { OperationID(rawValue: "\(number)") }

  func status(_ number: Int) -> OperationStatus? { machine.status(of: Self.id(number)) }

  func item(_ number: Int) -> ItemID {
    guard let state = machine.replica?.state else { return .none }
    return state.itemIDs(in: CollectionHandle(rawValue: 1)).first { Peer.number(of: $0, in: state) == number } ?? .none
  }

  /// The numbers of the items in the daemon's list.
  var truth: [Int] {
    let state = daemon.state
    return state.itemIDs(in: CollectionHandle(rawValue: 1)).map { Peer.number(of: $0, in: state) }
  }

  var isConverged: Bool {
    guard machine.isLive, var replica = machine.replica else { return false }
    var truth = daemon.state
    return replica.pending.isEmpty && replica.confirmedHash() == truth.viewHash(for: replica.author.seat)
  }
}

extension ClientEffect {
  /// Whether it is neither a write nor an event.
  fileprivate var isOther: Bool {
    switch self {
    case .send, .connect, .disconnect: true
    case .persist, .event: false
    }
  }
}

extension OperationStatus {
  var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
