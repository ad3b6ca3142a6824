public import BaizeTable
public import BaizeWire

/// One client's side of a table: says hello, loads, follows, sends, comes back after a lost connection and sends again
/// what has no answer.
///
/// ```
///            connected       welcome         last part
///  connecting ──────▶ greeting ──────▶ loading ──────▶ live
///      ▲                 │                │  ▲           │
///      │ backoff         │ closed         │  └───────────┤ does not fit: a snapshot
///      └──── waiting ◀───┴────────────────┴──────────────┘ closed
/// ```
public struct ClientMachine: Sendable {
  public let configuration: ClientConfiguration
  /// The table as this client sees it; `nil` before the first snapshot is whole. It stays while the connection is lost.
  public internal(set) var replica: Replica?
  /// What the last welcome said.
  public internal(set) var welcome: Welcome?
  public internal(set) var phase = Phase.idle
  /// The last invite for players that this client got: from its app, as the table's creator, or as its host.
  public internal(set) var invite: String
  /// How often the replica was found to differ from the daemon and was repaired.
  public internal(set) var divergences = 0

  let types: any TableTypeReader
  var random: RandomSource
  var tableType: TableType?
  var loader: StateLoader?
  /// The first part of the snapshot that is loading: the others carry only items.
  var firstPart: SnapshotPart?
  /// Whether the connection is new, so that pending operations are to be sent again when the table stands.
  var isFreshConnection = false
  /// Where the missed diffs lead to that follow the welcome instead of a snapshot.
  var catchUp: Revision?
  /// The replica was found to differ from the daemon: it is no state to go on from.
  var isReplicaWrong = false
  var attempts: UInt64 = 0
  /// How many sessions it has had to give up.
  var sessionsLost = 0
  /// The daemon's names for what this session's operations have made: an app may hold a provisional one that was answered
  /// a moment ago. `nil` until there are any.
  var made: AuthorMemory?
  var heard = Instant(nanoseconds: 0)
  var said = Instant(nanoseconds: 0)
  var compared = Instant(nanoseconds: 0)
  var retryAt: Instant?
  var nonce: UInt64 = 0

  public enum Phase: Hashable, Sendable {
    case idle
    case connecting
    case greeting(since: Instant)
    case loading
    case live
    case waiting(until: Instant)
    case ended(Goodbye)
  }

  /// - Parameter random: For the jitter between attempts to come back.
  public init(configuration: ClientConfiguration, types: any TableTypeReader, random: RandomSource) {
    self.configuration = configuration
    invite = configuration.invite
    self.types = types
    self.random = random
  }

  public var isLive: Bool { phase == .live }

  // MARK: What happens

  /// Begins.
  public mutating func start(at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .idle else { return }
    connect(into: &effects)
  }

  /// The connection stands.
  public mutating func connected(at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .connecting else { return }
    phase = .greeting(since: now)
    heard = now
    isFreshConnection = true
    var hello = Hello(
      table: configuration.table, tableType: configuration.tableType, name: configuration.name,
      role: configuration.role, invite: invite, seed: configuration.seed)
    if let welcome {
      hello.resumeToken = welcome.resumeToken
      if let replica, !isReplicaWrong {
        hello.epoch = replica.epoch
        hello.revision = replica.confirmedRevision
      }
    }
    send(.hello(hello), at: now, into: &effects)
  }

  /// The connection is gone, or did not come about.
  public mutating func closed(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .connecting, .greeting, .loading, .live: comeBack(after: nil, at: now, into: &effects)
    case .idle, .waiting, .ended: break
    }
  }

  /// A whole frame has come, without its length.
  public mutating func received(
    _ frame: UnsafeRawBufferPointer, at now: Instant, into effects: inout [ClientEffect]
  ) {
    do throws(DecodeError) {
      receive(try ServerMessage(decoding: frame), at: now, into: &effects)
    } catch {
      receivedGarbage(error, at: now, into: &effects)
    }
  }

  /// What came is no frame: nothing behind it can be trusted.
  public mutating func receivedGarbage(
    _ error: DecodeError, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard isConnected else { return }
    effects.append(.disconnect)
    comeBack(after: Goodbye(error.goodbyeReason, detail: error.description), at: now, into: &effects)
  }

  /// A message has come.
  public mutating func receive(
    _ message: ServerMessage, at now: Instant, into effects: inout [ClientEffect]
  ) {
    guard isConnected else { return }
    heard = now
    switch message {
    case .welcome(let welcome): receive(welcome, at: now, into: &effects)
    case .snapshot(let part): receive(part, at: now, into: &effects)
    case .diff(let diff): receive(diff, at: now, into: &effects)
    case .outcome(let outcome): receive(outcome, at: now, into: &effects)
    case .pong(let pong): compare(pong, at: now, into: &effects)
    case .drag(let drag): effects.append(.event(.drag(drag)))
    case .seats(let seats): effects.append(.event(.seats(seats)))
    case .goodbye(let goodbye): receive(goodbye, at: now, into: &effects)
    case .unknown: break
    }
  }

  /// Time has passed: to be called at ``nextDeadline``, or now and then.
  public mutating func tick(at now: Instant, into effects: inout [ClientEffect]) {
    switch phase {
    case .waiting(let until): if now >= until { connect(into: &effects) }
    case .greeting(let since):
      if now >= since.advanced(bySeconds: configuration.handshakeSeconds) { drop(at: now, into: &effects) }
    case .loading, .live: keepInTouch(at: now, into: &effects)
    case .idle, .connecting, .ended: break
    }
  }

  /// When something is due even if nothing happens.
  public var nextDeadline: Instant? {
    switch phase {
    case .waiting(let until): until
    case .greeting(let since): since.advanced(bySeconds: configuration.handshakeSeconds)
    case .loading: said.advanced(bySeconds: heartbeatSeconds)
    case .live: min(said.advanced(bySeconds: heartbeatSeconds), retryAt ?? Instant(nanoseconds: .max))
    case .idle, .connecting, .ended: nil
    }
  }

  // MARK: What the app asks for

  /// Applies an operation at once and sends it. Without a connection it is kept and sent when there is one.
  ///
  /// - Parameter sendsRefused: Whether what the rules refuse here is sent all the same.
  /// - Returns: `nil` where there is no table yet, or more unanswered operations than the daemon takes.
  public mutating func submit(
    _ kind: TableOperation.Kind, sendsRefused: Bool = false, at now: Instant, into effects: inout [ClientEffect]
  ) -> Replica.Submission? {
    guard let pending = replica?.pending.count, pending < Int(welcome?.pendingMax ?? 0) else { return nil }
    if case .ended = phase { return nil }
    let kind = made.map(kind.named) ?? kind
    guard var submission = replica?.submit(kind, sendsRefused: sendsRefused) else { return nil }
    submission.sessionsBefore = sessionsLost
    // Behind an operation that waits to be sent again all others wait too; so they do without a connection.
    let waits = replica?.pending.contains { $0.retry != nil } ?? false
    if let operation = submission.operation, isInStep, !waits {
      send(.operation(operation), at: now, into: &effects)
    } else if waits, submission.operation != nil {
      replica?.postponeLast()
    }
    if !submission.changes.isEmpty { effects.append(.event(.changed(submission.changes))) }
    return submission
  }

  /// Undoes an operation of one's own.
  ///
  /// - Returns: As ``submit(_:sendsRefused:at:into:)``; `nil` also where the operation was never sent, or is of another
  ///   session or epoch than the present: the numbers mean others now.
  public mutating func undo(
    _ submission: Replica.Submission, at now: Instant, into effects: inout [ClientEffect]
  ) -> Replica.Submission? {
    guard let operation = submission.operation, submission.sessionsBefore == sessionsLost,
      operation.epoch == replica?.epoch
    else { return nil }
    return submit(.undo(operation.sequence), at: now, into: &effects)
  }

  /// Whether the daemon has all that is pending. It takes operations while a snapshot is on its way, too; but on a new
  /// connection first come those that were pending before.
  private var isInStep: Bool { phase == .live || (phase == .loading && !isFreshConnection) }

  /// Tells the others of a drag. Without a connection it is left out: presence is not kept.
  public mutating func drag(_ drag: Drag, at now: Instant, into effects: inout [ClientEffect]) {
    if isInStep { send(.drag(drag), at: now, into: &effects) }
  }

  /// Leaves the table for good: the seat is free at once.
  public mutating func leave(at now: Instant, into effects: inout [ClientEffect]) {
    let goodbye = Goodbye(.leaving)
    if isConnected {
      send(.goodbye(goodbye), at: now, into: &effects)
      effects.append(.disconnect)
    }
    end(goodbye, into: &effects)
  }
}
