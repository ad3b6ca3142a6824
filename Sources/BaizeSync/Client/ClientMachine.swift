public import BaizeTable
public import BaizeWire

/// The client's side of the protocol for one table: it joins, loads a snapshot, applies diffs, sends operations, reconnects
/// after a lost connection, and sends pending operations again.
///
/// ```
///            connected       welcome         last part
///  connecting ──────▶ greeting ──────▶ loading ──────▶ live
///      ▲                 │                │  ▲           │
///      │ backoff         │ closed         │  └───────────┤ does not fit: a snapshot
///      └──── waiting ◀───┴────────────────┴──────────────┘ closed
/// ```
public struct ClientMachine: Sendable {
  /// The table to join, and the connection's timing.
  public let configuration: ClientConfiguration
  /// The client's copy of the table; `nil` until the first snapshot is complete. It is kept while the connection is lost.
  public internal(set) var replica: Replica?
  /// The last welcome; `nil` before the first, and after the session is lost.
  public internal(set) var welcome: Welcome?
  /// The state of the connection and of loading.
  public internal(set) var phase = Phase.idle
  /// The last invite for players that this client received: from its app, as the table's creator, or as its host.
  public internal(set) var invite: String
  /// The number of times that the replica differed from the daemon's state and was replaced.
  public internal(set) var divergences = 0

  /// By what the daemon knows this client again.
  let identity: ClientRecord.Identity
  let types: any TableTypeReader
  var random: RandomSource
  var tableType: TableType?
  /// The snapshot that is loading: its first part, since the others carry only items, and the state so far.
  var loading: (first: SnapshotPart, state: StateLoader)?
  /// Whether the connection is new, so that pending operations are sent again when the table is live.
  var isFreshConnection = false
  /// The revision of the last missed diff, if diffs follow the welcome instead of a snapshot.
  var catchUp: Revision?
  /// Whether the replica is known to differ from the daemon's state, so that only a snapshot can replace it.
  var isReplicaWrong = false
  var attempts: UInt64 = 0
  var unreadable = UnreadableFrames()
  /// The number of sessions that were lost.
  var sessionsLost = 0
  /// The daemon's ids of the items that this session has created: an app may hold a provisional id that was answered a
  /// moment ago. `nil` until there are any.
  var made: AuthorMemory?
  var retryAt: Instant?
  /// The time before which the daemon has asked the client not to reconnect.
  var reconnectsFrom = Instant(nanoseconds: 0)
  /// The goodbye that ended the last connection, if there was one.
  var lastGoodbye: Goodbye?
  /// `nil` for a client without a session store.
  var keeping: Keeping?
  var presenceBoard = PresenceBoard()
  /// The time at which the time of the turn will be up; `nil` while none runs.
  public internal(set) var turnEnd: Instant?
  /// The time at which the time of the table will be up; `nil` while none runs.
  public internal(set) var tableEnd: Instant?
  /// Who watches.
  public internal(set) var watching = Watching()
  package var heartbeat = Heartbeat()
  /// When the connection's signed token has to be replaced; `nil` if it has none.
  var tokenRefresh: TokenRefresh?
  /// The number of the last hello.
  private var helloNumber: UInt64

  /// The times of the last messages, and of the last comparison of hashes.
  package struct Heartbeat: Sendable {
    var lastReceived = Instant(nanoseconds: 0)
    var lastSent = Instant(nanoseconds: 0)
    var lastPing = Instant(nanoseconds: 0)
    var compared = Instant(nanoseconds: 0)
    var nonce: UInt64 = 0
    /// The daemon's last answer to a ping, until it is taken.
    package var lastPong: Pong?

    /// Returns the time of the next ping: after an interval in which nothing was sent, or in which nothing was received.
    /// Much of what a client sends, such as presence and drags, is not answered.
    func nextPing(interval seconds: UInt64) -> Instant {
      min(lastSent, max(lastReceived, lastPing)).advanced(bySeconds: seconds)
    }
  }

  /// The state of a client's connection and of loading.
  public enum Phase: Hashable, Sendable {
    /// Not started.
    case idle
    /// The host opens a connection.
    case connecting
    /// The hello is sent; the welcome is missing.
    case greeting(since: Instant)
    /// A snapshot or missed diffs are on the way.
    case loading
    /// The replica follows the table.
    case live
    /// The machine waits before it reconnects.
    case waiting(until: Instant)
    /// The machine has ended for good.
    case ended(Goodbye)
  }

  /// Creates a machine that has not started.
  ///
  /// - Parameters:
  ///   - configuration: The table to join, and the connection's timing.
  ///   - types: The reader of table type documents.
  ///   - random: The random source for the backoff's jitter, and for the ids of operations.
  ///   - record: The contents of the client's session store, a new record if it is empty; `nil` for a client without one.
  ///   - hellosFrom: What ``Hello/attempt`` counts on from. Where other machines may have had the session before, the time in
  ///     milliseconds since 1970.
  public init(
    configuration: ClientConfiguration, types: any TableTypeReader, random: RandomSource, record: ClientRecord? = nil,
    hellosFrom: UInt64 = 0
  ) {
    helloNumber = hellosFrom
    self.configuration = configuration
    invite = configuration.invite.isEmpty ? record?.invite ?? "" : configuration.invite
    self.types = types
    self.random = random
    identity =
      record.flatMap(\.identity)
      ?? ClientRecord.Identity(credential: configuration.credential, random: &self.random)
    keeping = record.map(Keeping.init)
    made = keeping?.made
  }

  /// Whether the replica follows the table.
  public var isLive: Bool { phase == .live }

  /// Returns the id that the daemon gave to an item that this session has created; `nil` if it has not answered yet.
  package func finalID(of provisional: ItemID) -> ItemID? { made?.resolve(provisional) }

  // MARK: Events

  /// Starts the machine.
  public mutating func start(at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .idle else { return }
    if let field = hello.overlongField {
      return end(Goodbye(field.reason, detail: field.sentence), into: &effects)
    }
    connect(into: &effects)
  }

  /// Handles an opened connection.
  public mutating func connected(at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .connecting else { return }
    phase = .greeting(since: now)
    heartbeat.lastReceived = now
    isFreshConnection = true
    tokenRefresh = nil
    persistIfUnsaved(into: &effects)
    helloNumber += 1
    send(.hello(hello), at: now, into: &effects)
  }

  private var hello: Hello {
    var hello = configuration.hello
    hello.invite = invite
    (hello.credential, hello.sessionName) = (identity.credential, identity.sessionName)
    hello.attempt = helloNumber
    hello.ticket = welcome?.ticket ?? keeping?.session?.ticket ?? []
    if let replica, !isReplicaWrong {
      hello.epoch = replica.epoch
      hello.revision = replica.confirmedRevision
    }
    return hello
  }

  /// Handles a closed connection, or one that could not be opened.
  public mutating func closed(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .connecting, .greeting, .loading, .live: waitToReconnect(after: nil, at: now, into: &effects)
    case .idle, .waiting, .ended: break
    }
  }

  /// Handles a complete frame, without its length.
  public mutating func received(
    _ frame: UnsafeRawBufferPointer, at now: Instant, into effects: inout [ClientEffect]
  ) {
    do throws(DecodeError) {
      receive(try ServerMessage(decoding: frame), at: now, into: &effects)
    } catch {
      receivedMalformedFrame(error, at: now, into: &effects)
    }
  }

  /// Handles bytes that are no valid frame: closes the connection, since nothing after them can be trusted.
  public mutating func receivedMalformedFrame(
    _ error: DecodeError, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard isConnected else { return }
    effects.append(.disconnect)
    unreadable.note(at: now)
    waitToReconnect(after: Goodbye(error.goodbyeReason, detail: error.description), at: now, into: &effects)
  }

  /// Handles a message.
  public mutating func receive(
    _ message: ServerMessage, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard isConnected else { return }
    heartbeat.lastReceived = now
    switch message {
    case .welcome(let welcome): receive(welcome, at: now, into: &effects)
    case .snapshot(let part): receive(part, at: now, into: &effects)
    case .diff(let diff): receive(diff, at: now, into: &effects)
    case .outcome(let outcome): receive(outcome, at: now, into: &effects)
    case .pong(let pong):
      heartbeat.lastPong = pong
      compare(pong, at: now, into: &effects)
    case .drag(let drag): effects.append(.event(.drag(drag)))
    case .seats(let seats): receive(seats, into: &effects)
    case .presence(let presence): receive(presence, into: &effects)
    case .chat(let chat): effects.append(.event(.chat(chat)))
    case .countdown(let countdown): receive(countdown, at: now, into: &effects)
    case .watching(let watching): receive(watching, into: &effects)
    case .tokenTime(let seconds): tokenRefresh = TokenRefresh(seconds: seconds, at: now)
    case .goodbye(let goodbye): receive(goodbye, at: now, into: &effects)
    case .unknown: break
    }
  }

  /// Handles the passing of time. The host calls it at ``nextDeadline``; earlier calls do no harm.
  public mutating func tick(at now: Instant, into effects: inout [ClientEffect]) {
    persistIfDue(at: now, into: &effects)
    switch phase {
    case .waiting(let until): if now >= until { connect(into: &effects) }
    case .greeting(let since):
      if now >= since.advanced(bySeconds: configuration.handshakeSeconds) { drop(at: now, into: &effects) }
    case .loading, .live:
      sendPresence(at: now, into: &effects)
      if tokenRefresh?.isDue(at: now) == true { effects.append(.refreshToken) }
      sendHeartbeat(at: now, into: &effects)
    case .idle, .connecting, .ended: break
    }
  }

  /// The time at which the host must call ``tick(at:into:)``; `nil` if nothing is due.
  public var nextDeadline: Instant? {
    guard let saveAt = keeping?.saveAt else { return connectionDeadline }
    if case .ended = phase { return nil }
    return connectionDeadline.map { min($0, saveAt) } ?? saveAt
  }

  private var connectionDeadline: Instant? {
    switch phase {
    case .waiting(let until): until
    case .greeting(let since): since.advanced(bySeconds: configuration.handshakeSeconds)
    case .loading: min(heartbeat.nextPing(interval: heartbeatSeconds), tokenRefresh?.at ?? .distantFuture)
    case .live:
      min(
        heartbeat.nextPing(interval: heartbeatSeconds), retryAt ?? .distantFuture, presenceDeadline ?? .distantFuture,
        tokenRefresh?.at ?? .distantFuture)
    case .idle, .connecting, .ended: nil
    }
  }

  private var presenceDeadline: Instant? {
    replica?.author.seat == .spectator ? nil : presenceBoard.nextDeadline
  }

  /// Whether a value of presence waits for its time.
  package var hasPresenceToSend: Bool { phase == .live && presenceDeadline != nil }

  // MARK: Requests of the app

  /// Applies an operation to the replica and sends it. Without a connection, it is kept and sent after the next welcome.
  ///
  /// - Parameters:
  ///   - kind: The operation.
  ///   - sendsRefused: Whether to send an operation that the rules refuse here.
  ///   - id: The app's name for the operation; with a session store, an operation without one gets a random id.
  ///   - submittedAt: The time in milliseconds since 1970, which is kept with the id.
  ///   - now: The present time.
  ///   - effects: The buffer for the machine's effects.
  /// - Returns: The operation's prediction; `nil` if there is no table yet, if the machine has ended, or if too many
  ///   operations are pending. An operation that exceeds a limit of messages is refused here and never sent.
  public mutating func submit(
    _ kind: TableOperation.Kind, sendsRefused: Bool = false, id: OperationID? = nil, submittedAt: UInt64 = 0,
    at now: Instant, into effects: inout [ClientEffect]
  ) -> Replica.Submission? {
    guard let pending = replica?.pending.count, pending < Int(welcome?.pendingMax ?? 0) else { return nil }
    if case .ended = phase { return nil }
    let identity: OperationIdentity?
    do throws(Refusal) {
      identity = try self.identity(id, at: submittedAt)
    } catch {
      return Replica.Submission(operation: nil, prediction: .refused(error), changes: [])
    }
    let kind = made.map(kind.named) ?? kind
    guard var submission = replica?.submit(kind, sendsRefused: sendsRefused) else { return nil }
    submission.sessionsBefore = sessionsLost
    if let identity, submission.operation != nil {
      replica?.identifyLast(identity)
      submission.id = identity.id
      persist(into: &effects)
    }
    if let operation = submission.operation, replica?.postponeLast() == false, canSend {
      send(.operation(operation), at: now, into: &effects)
    }
    if !submission.changes.isEmpty { effects.append(.event(.changed(submission.changes))) }
    return submission
  }

  /// Undoes an operation of this client.
  ///
  /// - Returns: As ``submit(_:sendsRefused:id:submittedAt:at:into:)``; also `nil` if the operation was never sent, or
  ///   belongs to another session or epoch, where its sequence number means another operation.
  public mutating func undo(
    _ submission: Replica.Submission, at now: Instant, into effects: inout [ClientEffect]
  ) -> Replica.Submission? {
    guard let operation = submission.operation, submission.sessionsBefore == sessionsLost,
      operation.epoch == replica?.epoch
    else { return nil }
    return submit(.undo(operation.sequence), at: now, into: &effects)
  }

  /// Whether operations may be sent. The daemon accepts them while a snapshot is on the way; but on a new connection, the
  /// operations that were pending before come first.
  var canSend: Bool { phase == .live || (phase == .loading && !isFreshConnection) }

  /// Sends a drag to the other participants. Without a connection, it is dropped: presence is not kept.
  public mutating func drag(_ drag: Drag, at now: Instant, into effects: inout [ClientEffect]) {
    guard canSend else { return }
    var drag = drag
    if drag.items.count > WireLimits.dragItemsMax { drag.items = ItemList(drag.items.prefix(WireLimits.dragItemsMax)) }
    send(.drag(drag), at: now, into: &effects)
  }

  /// Connects at once if the machine waits for its next attempt, or as soon as the daemon permits it (`retry_after_ms`), and
  /// begins the backoff anew.
  public mutating func reconnectNow(at now: Instant, into effects: inout [ClientEffect]) {
    guard case .waiting(let until) = phase else { return }
    attempts = 0
    guard now < reconnectsFrom else { return connect(into: &effects) }
    guard reconnectsFrom < until else { return }
    phase = .waiting(until: reconnectsFrom)
    effects.append(.event(.disconnected(lastGoodbye, retryIn: reconnectsFrom.duration(since: now))))
  }

  /// Leaves the table for good. The seat is free at once, and a session store keeps only the outcomes.
  public mutating func leave(at now: Instant, into effects: inout [ClientEffect]) {
    if case .ended = phase { return }
    let goodbye = Goodbye(.leaving)
    if isConnected {
      send(.goodbye(goodbye), at: now, into: &effects)
      effects.append(.disconnect)
    }
    keeping?.hasLeft = true
    end(goodbye, into: &effects)
  }
}
