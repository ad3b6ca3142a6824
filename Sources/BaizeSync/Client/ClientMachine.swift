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
  public private(set) var replica: Replica?
  /// What the last welcome said.
  public private(set) var welcome: Welcome?
  public private(set) var phase = Phase.idle
  /// The last invite for players that this client got: from its app, as the table's creator, or as its host.
  public private(set) var invite: String
  /// How often the replica was found to differ from the daemon and was repaired.
  public private(set) var divergences = 0

  private let types: any TableTypeReader
  private var random: RandomSource
  private var tableType: TableType?
  private var loader: StateLoader?
  /// The first part of the snapshot that is loading: the others carry only items.
  private var firstPart: SnapshotPart?
  /// Whether the connection is new, so that pending operations are to be sent again when the table stands.
  private var isFreshConnection = false
  /// Where the missed diffs lead to that follow the welcome instead of a snapshot.
  private var catchUp: Revision?
  /// The replica was found to differ from the daemon: it is no state to go on from.
  private var isReplicaWrong = false
  private var attempts: UInt64 = 0
  /// How many sessions it has had to give up.
  private var sessionsLost = 0
  private var heard = Instant(nanoseconds: 0)
  private var said = Instant(nanoseconds: 0)
  private var compared = Instant(nanoseconds: 0)
  private var retryAt: Instant?
  private var nonce: UInt64 = 0

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

  // MARK: Messages

  private mutating func receive(_ welcome: Welcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard case .greeting = phase else { return drop(at: now, into: &effects) }
    if !welcome.invite.isEmpty { invite = welcome.invite }
    if welcome.tableType.isEmpty { return follow(welcome, at: now, into: &effects) }
    do {
      if let old = self.welcome, let tableType, old.tableType == welcome.tableType, old.options == welcome.options {
        self.tableType = tableType
      } else {
        tableType = try types.tableType(document: welcome.tableType, options: welcome.options)
      }
    } catch {
      effects.append(.disconnect)
      end(Goodbye(.unknownType, detail: "the table type cannot be read: \(error)"), into: &effects)
      return
    }
    // Another session never sends what this one did; and what was meant from another seat is not meant from this one.
    if let old = self.welcome, old.session != welcome.session || old.seat != welcome.seat { forget(into: &effects) }
    self.welcome = welcome
    compared = now
    phase = .loading
  }

  /// The daemon says that only diffs are missing: none, or those up to the welcome's revision.
  private mutating func follow(_ welcome: Welcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard let old = self.welcome, let replica, !isReplicaWrong, welcome.epoch == replica.epoch,
      welcome.session == old.session, welcome.seat == old.seat, welcome.revision >= replica.confirmedRevision
    else {
      // The diffs are for another replica than this one: the next hello asks for a snapshot.
      isReplicaWrong = true
      return drop(at: now, into: &effects)
    }
    var welcome = welcome
    welcome.tableType = old.tableType
    welcome.options = old.options
    self.welcome = welcome
    compared = now
    phase = .loading
    catchUp = welcome.revision
    finishCatchUp(at: now, into: &effects)
  }

  private mutating func finishCatchUp(at now: Instant, into effects: inout [ClientEffect]) {
    guard let revision = catchUp, let replica, replica.confirmedRevision >= revision else { return }
    catchUp = nil
    begin(replica.author, at: now, into: &effects)
  }

  /// The table stands, on this connection: what is pending is sent again.
  private mutating func begin(_ author: Author, at now: Instant, into effects: inout [ClientEffect]) {
    phase = .live
    attempts = 0
    retryAt = nil
    isFreshConnection = false
    effects.append(.event(.joined(author.session, author.seat)))
    sendPending(at: now, into: &effects)
  }

  private mutating func sendPending(at now: Instant, into effects: inout [ClientEffect]) {
    for operation in replica?.resend() ?? [] { send(.operation(operation), at: now, into: &effects) }
  }

  private mutating func receive(_ part: SnapshotPart, at now: Instant, into effects: inout [ClientEffect]) {
    guard let tableType, welcome != nil else { return drop(at: now, into: &effects) }
    if part.isFirst {
      phase = .loading
      catchUp = nil
      firstPart = part
      loader = StateLoader(type: tableType)
    }
    do throws(DiffMismatch) {
      try loader?.add(part)
    } catch {
      // The daemon finishes what it has begun, and would not begin anew: only a new connection does.
      divergences += 1
      effects.append(.event(.diverged(error.detail)))
      return drop(at: now, into: &effects)
    }
    if part.isComplete { finishLoading(part, at: now, into: &effects) }
  }

  private mutating func finishLoading(_ last: SnapshotPart, at now: Instant, into effects: inout [ClientEffect]) {
    guard let loaded = loader, let first = firstPart, let welcome else { return }
    loader = nil
    firstPart = nil
    let state = loaded.finish(
      revision: last.revision, status: first.status, variables: first.variables, seats: first.seats)
    let seat = first.seats.first { $0.session == welcome.session }?.number ?? .spectator
    var new = Replica(
      state: state, epoch: last.epoch, author: Author(session: welcome.session, seat: seat),
      lastSequence: last.lastSequence)
    new.reportsChanges = configuration.reportsChanges
    let isNewEpoch = replica.map { $0.epoch != last.epoch } ?? false
    if let old = replica { new.adopt(old.pending, of: old.epoch, memory: old.answerMemory) }
    replica = new
    isReplicaWrong = false
    if isFreshConnection {
      begin(new.author, at: now, into: &effects)
    } else {
      phase = .live
      // What was sent under the old epoch was not judged, and has other numbers now.
      if isNewEpoch { sendPending(at: now, into: &effects) }
    }
    // Nobody says again that an operation is to come again. What that changes is part of what was reloaded.
    sendAgainIfDue(at: now, isReported: false, into: &effects)
    effects.append(.event(.changed([.reloaded])))
  }

  private mutating func receive(_ diff: Diff, at now: Instant, into effects: inout [ClientEffect]) {
    // Between a request for a snapshot and its first part there may be diffs that no longer fit. What they answer is
    // answered all the same.
    guard phase == .live || catchUp != nil, replica != nil else { return settle(diff, into: &effects) }
    do throws(DiffMismatch) {
      let update = try replica?.receive(diff)
      effects.append(.event(.diff(diff)))
      if let update { report(update, into: &effects) }
      finishCatchUp(at: now, into: &effects)
      sendAgainIfDue(at: now, into: &effects)
    } catch {
      settle(diff, into: &effects)
      resynchronize(error.detail, at: now, into: &effects)
    }
  }

  private mutating func settle(_ diff: Diff, into effects: inout [ClientEffect]) {
    if let update = replica?.settle(diff) { report(update, into: &effects) }
  }

  private mutating func receive(_ outcome: Outcome, at now: Instant, into effects: inout [ClientEffect]) {
    guard let update = replica?.receive(outcome) else { return }
    for answered in update.answers {
      guard case .invited(let text) = answered.answer, case .perform(let name, _, _) = answered.operation.kind,
        name == HostAction.invitePlayers.name
      else { continue }
      invite = text
    }
    report(update, into: &effects)
    sendAgainIfDue(at: now, into: &effects)
  }

  private func report(_ update: Update, into effects: inout [ClientEffect]) {
    if !update.changes.isEmpty { effects.append(.event(.changed(update.changes))) }
    for answered in update.answers { effects.append(.event(.answered(answered))) }
  }

  private mutating func receive(_ goodbye: Goodbye, at now: Instant, into effects: inout [ClientEffect]) {
    effects.append(.disconnect)
    if goodbye.reason == .tokenInvalid, welcome != nil {
      // The session is gone. The table may still be there, for someone new.
      forget(into: &effects)
      welcome = nil
      comeBack(after: goodbye, at: now, into: &effects)
    } else if goodbye.isResumable {
      comeBack(after: goodbye, at: now, into: &effects)
    } else {
      end(goodbye, into: &effects)
    }
  }

  // MARK: Divergence

  private mutating func compare(_ pong: Pong, at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .live, replica?.agrees(with: pong) == false else { return }
    resynchronize("the view at revision \(pong.revision.rawValue) has another hash", at: now, into: &effects)
  }

  /// Takes a snapshot instead of guessing.
  private mutating func resynchronize(_ why: String, at now: Instant, into effects: inout [ClientEffect]) {
    divergences += 1
    isReplicaWrong = true
    loader = nil
    firstPart = nil
    catchUp = nil
    phase = .loading
    effects.append(.event(.diverged(why)))
    send(.snapshotRequest(why: String(why.prefix(100))), at: now, into: &effects)
  }

  // MARK: Sending again

  /// Sends again what was not judged, once everything pending was answered that way.
  private mutating func sendAgainIfDue(
    at now: Instant, isReported: Bool = true, into effects: inout [ClientEffect]
  ) {
    guard phase == .live, let why = replica?.retryReason else { return }
    if why.reason != .staleBase {
      let due = retryAt ?? now.advanced(byMilliseconds: configuration.retryMilliseconds)
      retryAt = due
      guard now >= due else { return }
    }
    retryAt = nil
    guard let again = replica?.reexpress() else { return }
    if isReported, !again.changes.isEmpty { effects.append(.event(.changed(again.changes))) }
    for operation in again.operations { send(.operation(operation), at: now, into: &effects) }
  }

  private mutating func keepInTouch(at now: Instant, into effects: inout [ClientEffect]) {
    if let retryAt, now >= retryAt { sendAgainIfDue(at: now, into: &effects) }
    if now >= heard.advanced(bySeconds: 3 * heartbeatSeconds) { return drop(at: now, into: &effects) }
    guard now >= said.advanced(bySeconds: heartbeatSeconds) else { return }
    let wantsHash =
      configuration.hashCheckSeconds > 0 && now >= compared.advanced(bySeconds: configuration.hashCheckSeconds)
    if wantsHash { compared = now }
    nonce += 1
    send(.ping(Ping(nonce: nonce, wantsHash: wantsHash)), at: now, into: &effects)
  }

  /// Half of what the daemon asks for, so that one lost chance is not the last.
  private var heartbeatSeconds: UInt64 { max(1, UInt64(welcome?.heartbeatSeconds ?? 10) / 2) }

  // MARK: Coming back

  private var isConnected: Bool {
    switch phase {
    case .greeting, .loading, .live: true
    case .idle, .connecting, .waiting, .ended: false
    }
  }

  private mutating func connect(into effects: inout [ClientEffect]) {
    phase = .connecting
    loader = nil
    firstPart = nil
    catchUp = nil
    effects.append(.connect)
  }

  /// Gives a connection up and tries another.
  private mutating func drop(at now: Instant, into effects: inout [ClientEffect]) {
    effects.append(.disconnect)
    comeBack(after: nil, at: now, into: &effects)
  }

  /// Waits before the next attempt: twice as long after each, and never as long as the others (full jitter; M. Brooker,
  /// "Exponential Backoff And Jitter", 2015).
  private mutating func comeBack(after goodbye: Goodbye?, at now: Instant, into effects: inout [ClientEffect]) {
    let ceiling = min(
      configuration.backoffMillisecondsMax, configuration.backoffMilliseconds << min(attempts, 16))
    attempts += 1
    let asked = UInt64(goodbye?.retryAfterMilliseconds ?? 0)
    let until = now.advanced(byMilliseconds: asked + random.next(below: ceiling + 1))
    phase = .waiting(until: until)
    effects.append(.event(.disconnected(goodbye, retryAt: until)))
  }

  /// The session is gone: what it sent and got no answer to is never sent again.
  private mutating func forget(into effects: inout [ClientEffect]) {
    for own in replica?.pending ?? [] {
      effects.append(.event(.answered(Answered(operation: own.operation, answer: .unknown))))
    }
    replica = nil
    isReplicaWrong = false
    sessionsLost += 1
  }

  private mutating func end(_ goodbye: Goodbye, into effects: inout [ClientEffect]) {
    if case .ended = phase { return }
    phase = .ended(goodbye)
    effects.append(.event(.ended(goodbye)))
  }

  private mutating func send(_ message: ClientMessage, at now: Instant, into effects: inout [ClientEffect]) {
    said = now
    effects.append(.send(message))
  }
}
