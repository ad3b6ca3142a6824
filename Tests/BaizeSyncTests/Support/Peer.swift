import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

/// A replica with a connection of its own that sends and receives exactly when a test asks for it.
final class Peer {
  let daemon: Daemon
  let table: String
  let address: PeerID
  /// The person; peers of one may have several sessions.
  let credential: [UInt8]
  private let sessionName: [UInt8]
  private(set) var connection: ConnectionID
  private(set) var replica: Replica?
  private(set) var welcome: Welcome?
  /// All received messages, in order.
  private(set) var received: [ServerMessage] = []
  private(set) var answers: [SequenceNumber: Answer] = [:]
  private(set) var changes: [TableChange] = []
  /// Operations that were submitted and not sent.
  private(set) var outbox: [TableOperation] = []
  private var snapshot = SnapshotReader()

  var identity: ClientRecord.Identity { ClientRecord.Identity(credential: credential, sessionName: sessionName) }

  /// Joins `table` and receives the daemon's messages.
  init(
    _ daemon: Daemon, table: String = "t", type: String = "list?items=5", name: String = "someone",
    role: Role = .player, credential: [UInt8]? = nil, sessionName: [UInt8] = [], invite: String = "",
    from address: PeerID = .unknown, isShared: Bool = false
  ) {
    self.daemon = daemon
    self.table = table
    self.address = address
    (self.credential, self.sessionName) = (credential ?? daemon.newCredential(), sessionName)
    connection = daemon.connect(from: address, isShared: isShared)
    daemon.receive(
      .hello(
        Hello(
          table: table, tableType: type, name: name, role: role, invite: invite, credential: self.credential,
          sessionName: sessionName)),
      on: connection)
    daemon.endTurn()
    receive()
  }

  /// Joins two players, and has both receive it.
  static func pair(_ daemon: Daemon, type: String = "list?items=5") -> (Peer, Peer) {
    let (one, other) = (Peer(daemon, type: type), Peer(daemon, type: type))
    one.receive()
    return (one, other)
  }

  // MARK: Reconnecting

  /// Reconnects, whether or not the daemon has noticed the loss of the old connection.
  func reconnect(role: Role = .player, receives: Bool = true) {
    connection = daemon.connect(
      Hello(
        table: table, name: "someone", role: role, credential: credential, sessionName: sessionName,
        ticket: welcome?.ticket ?? []))
    if receives { receive() }
  }

  /// Sends all pending operations again.
  func sendAgain() {
    for operation in replica?.resend() ?? [] { send(.operation(operation)) }
  }

  // MARK: Sending

  /// Submits an operation without sending it.
  @discardableResult
  func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = true) -> Replica.Submission? {
    let submission = replica?.submit(kind, sendsRefused: sendsRefused)
    if let operation = submission?.operation { outbox.append(operation) }
    return submission
  }

  /// Sends the first `count` unsent operations.
  func send(_ count: Int = .max) {
    for operation in outbox.prefix(count) { daemon.receive(.operation(operation), on: connection) }
    outbox.removeFirst(min(count, outbox.count))
    daemon.endTurn()
  }

  /// Sends the pending operations with a fresh base.
  func reexpress() { outbox = replica?.reexpress().operations ?? [] }

  func send(_ message: ClientMessage) {
    daemon.receive(message, on: connection)
    daemon.endTurn()
  }

  /// Submits an operation, sends it and receives.
  @discardableResult
  func ask(_ kind: TableOperation.Kind) -> Answer? {
    let submission = submit(kind)
    send()
    receive()
    return submission?.operation.flatMap { answers[$0.sequence] }
  }

  /// Sends all unsent operations, and receives.
  func exchange() {
    send()
    receive()
  }

  /// Sends a message, and receives.
  @discardableResult
  func exchange(_ message: ClientMessage) -> [ServerMessage] {
    send(message)
    return receive()
  }

  /// Receives what the daemon sends over several turns.
  func receiveAll() {
    while daemon.wantsTurn { daemon.endTurn() }
    receive()
  }

  /// Receives, and returns whether it is as the daemon then.
  func catchUp() -> Bool {
    receive()
    return isConverged
  }

  // MARK: Receiving

  /// Receives the messages that the daemon has sent.
  @discardableResult
  func receive() -> [ServerMessage] {
    let messages = daemon.take(connection)
    for message in messages { receive(message) }
    received += messages
    return messages
  }

  private func receive(_ message: ServerMessage) {
    switch message {
    case .welcome(let welcome): self.welcome = welcome
    case .snapshot(let part): load(part)
    case .diff(let diff):
      do throws(DiffMismatch) {
        if let update = try replica?.receive(diff) { note(update) }
      } catch {
        Issue.record("a diff does not fit: \(error.detail)")
      }
    case .outcome(let outcome): if let update = replica?.receive(outcome) { note(update) }
    case .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .goodbye, .unknown: break
    }
  }

  private func note(_ update: Update) {
    changes += update.changes
    for answered in update.answers { answers[answered.operation.sequence] = answered.answer }
  }

  private func load(_ part: SnapshotPart) {
    do throws(DiffMismatch) {
      guard let state = try snapshot.add(part, of: daemon.state.type), let session else { return }
      var new = Replica(state, from: part, session: session, person: welcome?.person)
      if let replica {
        new.adopt(pendingOf: replica)
      }
      replica = new
    } catch {
      Issue.record("a snapshot does not load: \(error.detail)")
    }
  }

  // MARK: State

  var session: SessionID? { welcome?.session }
  var pending: [PendingOperation] { replica?.pending ?? [] }
  var outcomes: [Outcome] { received.outcomes }
  var diffs: [Diff] { received.diffs }
  var parts: [SnapshotPart] { received.parts }
  var drags: [Drag] { received.drags }
  var pongs: [Pong] { received.pongs }
  var goodbye: Goodbye? { received.goodbye }

  func answer(_ sequence: UInt64) -> Answer? { answers[SequenceNumber(rawValue: sequence)] }

  /// Whether the confirmed state is the daemon's (I1), and so is the visible one if nothing is pending (I10).
  var isConverged: Bool {
    guard var copy = replica else { return false }
    var truth = daemon.state
    var visible = copy.state
    let hash = truth.viewHash(for: copy.author.seat)
    return copy.confirmedHash() == hash && (!copy.pending.isEmpty || visible.viewHash() == hash)
  }

  /// The attributes `number` of a collection's items, 0 for those without.
  func order(_ collection: UInt32 = 1) -> [Int] {
    guard let state = replica?.state else { return [] }
    return state.itemIDs(in: CollectionHandle(rawValue: collection)).map { Self.number(of: $0, in: state) }
  }

  /// The item with a number; the last one if there are several.
  func item(_ number: Int) -> ItemID {
    guard let state = replica?.state else { return .none }
    for handle in state.handles {
      for item in state.itemIDs(in: handle).reversed() where Self.number(of: item, in: state) == number { return item }
    }
    return .none
  }

  static func number(of item: ItemID, in state: TableState) -> Int {
    guard case .number(let number)? = state.face(of: item)?["number"] else { return 0 }
    return Int(number)
  }

  // MARK: Operations

  /// Returns a move of items by number, before another or at the end.
  func move(_ numbers: Int..., before anchor: Int? = nil, in collection: UInt32 = 1) -> TableOperation.Kind {
    .move(numbers.map(item), to: destination(before: anchor, in: collection))
  }

  func insert(_ numbers: Int..., before anchor: Int? = nil, in collection: UInt32 = 1) -> TableOperation.Kind {
    .insert(
      numbers.map { NewItem(attributes: [Attribute("number", Int64($0))]) }, destination(before: anchor, in: collection)
    )
  }

  private func destination(before anchor: Int?, in collection: UInt32) -> Destination {
    let handle = CollectionHandle(rawValue: collection)
    return anchor.map { .before(item($0), in: handle) } ?? .end(of: handle)
  }

  /// Returns an operation as a hostile client might forge it.
  func forged(
    _ sequence: UInt64, base: UInt64? = nil, epoch: UInt64 = 1, unanswered: UInt32 = 0, _ kind: TableOperation.Kind
  ) -> ClientMessage {
    .operation(
      TableOperation(
        sequence: SequenceNumber(rawValue: sequence), base: base.map(Revision.init) ?? daemon.state.revision,
        epoch: Epoch(rawValue: epoch), unanswered: unanswered, kind: kind))
  }
}
