import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload

@testable import BaizeSync

/// A client with a session store, which can be killed behind any of its effects.
final class KeptClient: Host {
  /// A mistake of a host or of a store, which the tests must find.
  enum Fault: CaseIterable {
    /// The store is written behind the messages that need it.
    case sendsFirst
    /// The store keeps the last write but one.
    case forgetsLastWrite
  }

  /// The contents of the store.
  private(set) var stored: [UInt8]?
  private var storedLast: [UInt8]?
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

  init(_ daemon: Daemon, type: String = "list?items=3") { super.init(daemon, type: type, record: ClientRecord()) }

  // MARK: Processes

  /// Ends the process and starts another one with the store.
  func relaunch(killedAfter effects: Int = .max) throws(ClientRecordError) {
    kill()
    isAlive = true
    effectsUntilKill = effects
    let record = try stored.map { bytes throws(ClientRecordError) in
      try ClientRecord(decoding: bytes, key: Self.key)
    }
    restart(with: record ?? ClientRecord())
    settle()
  }

  func kill() {
    disconnect(tellsDaemon: true)
    isAlive = false
    effectsUntilKill = .max
  }

  var wasKilled: Bool { !isAlive }

  // MARK: Effects

  override func handle(_ body: (inout ClientMachine, inout [ClientEffect]) -> Void) {
    if isAlive { super.handle(body) }
  }

  override func carryOut(_ effects: [ClientEffect]) {
    var effects = effects
    if fault == .sendsFirst { effects = effects.filter(\.isOther) + effects.filter { !$0.isOther } }
    var hasFailed = false
    for effect in effects {
      if hasFailed, case .send = effect { continue }
      guard isAlive else { return }
      if isStoreBroken, case .persist = effect { hasFailed = true } else { carryOut(effect) }
      effectsUntilKill -= 1
      if effectsUntilKill == 0 {
        kills += 1
        kill()
      }
    }
    if hasFailed { handle { $0.persistFailed("no room", at: daemon.now, into: &$1) } }
    if effects.contains(where: \.isConnect), isAlive { connect() }
  }

  override func carryOut(_ effect: ClientEffect) {
    switch effect {
    case .persist:
      let bytes = machine.record?.encoded(key: Self.key)
      stored = fault == .forgetsLastWrite ? storedLast : bytes
      storedLast = bytes
    case .send(.operation(let operation)):
      let record = stored.flatMap { try? ClientRecord(decoding: $0, key: Self.key) }
      if record?.pending.contains(where: { $0.operation == operation }) != true { sentUnstored += 1 }
    case .refreshToken: break
    case .disconnect: disconnect(tellsDaemon: true)
    case .event(.joined(let session, let seat)):
      sessions.insert(session)
      seats.insert(seat)
    case .connect, .send, .event: break
    }
    super.carryOut(effect)
  }

  // MARK: The connection

  override func lose() { lose(tellsDaemon: true) }

  func lose(tellsDaemon: Bool) {
    disconnect(tellsDaemon: tellsDaemon)
    handle { $0.closed(at: daemon.now, into: &$1) }
  }

  override func disconnect(tellsDaemon: Bool) {
    let wasConnected = connection != nil
    super.disconnect(tellsDaemon: tellsDaemon)
    if tellsDaemon, wasConnected { daemon.endTurn() }
  }

  /// Lets time pass and receives, until nothing more happens.
  func settle() {
    for _ in 1...6 {
      tick(afterMilliseconds: 2_000)
      for _ in 1...4 { receive() }
    }
  }

  // MARK: Operations

  /// Inserts an item with a number under an id of the same number, before another item if that is given.
  @discardableResult
  func insert(_ number: Int, before anchor: Int? = nil) -> Replica.Submission? {
    let destination: Destination = anchor.map { .before(item($0), in: .first) } ?? .end(of: .first)
    return submit(
      .insert([NewItem(attributes: [Attribute("number", Int64(number))])], destination), id: Self.id(number))
  }

  static func id(_ number: Int) -> OperationID { OperationID(rawValue: "\(number)") }

  func status(_ number: Int) -> OperationStatus? { machine.status(of: Self.id(number)) }

  /// The answers to an operation, of all processes: it is answered again after a relaunch.
  func answers(to id: OperationID) -> [Answer] { answered.filter { $0.id == id }.map(\.answer) }

  /// The numbers of the items in the daemon's list.
  var truth: [Int] {
    let state = daemon.state
    return state.itemIDs(in: .first).map { Peer.number(of: $0, in: state) }
  }
}

extension ClientEffect {
  /// Whether it is neither a write nor an event.
  fileprivate var isOther: Bool {
    switch self {
    case .send, .connect, .refreshToken, .disconnect: true
    case .persist, .event: false
    }
  }
}

extension OperationStatus {
  var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
