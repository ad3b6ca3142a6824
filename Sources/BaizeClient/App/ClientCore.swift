import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// The state of one client that the app's threads and the loop's thread share, guarded by a lock: the protocol machine,
/// the connection state, presence, and the queues that the machine's effects fill.
struct ClientCore {
  private(set) var machine: ClientMachine
  private(set) var connection = ConnectionState.joining
  /// The connected sessions of those who have a seat, by person.
  private var present: [SessionID: [SessionID]] = [:]
  /// Other sessions' drags.
  private(set) var drags: [SessionID: Drag] = [:]
  /// The ids of items for the app. Everything else here has the replica's ids.
  private(set) var identities = ItemIdentities()
  private(set) var handles: [String: CollectionHandle] = [:]
  var feeds: [UInt64: ClientFeed] = [:]
  private var lastFeed: UInt64 = 0
  /// Commands that the host has not fetched yet, in order.
  private var commands: [HostCommand] = []
  /// Whether the host has been woken and has not run yet.
  private var isHostWoken = false
  private var effects: [ClientEffect] = []
  /// The promises that wait for the answers of the pending operations, oldest first.
  private var promises: [PromisedAnswer] = []
  /// The open entry of the session store; `nil` for a client without a store.
  private let stored: StoredSession?
  /// The index of the store's next write among the commands; the writes behind it are part of it.
  private var persistIndex: Int?
  private var saveWaiters: [Promise<Result<Void, SessionStoreError>>] = []
  private var pacer = DragPacer()
  /// The time at which the first attempt to join times out; `nil` once the client has joined or has timed out.
  private var joinDeadline: Instant?
  private var lastFailure = ""

  /// Work that must run after the lock is released: it resumes tasks, which may call this client again.
  struct Deferred {
    var readers: [CheckedContinuation<Void, Never>] = []
    /// `nil` ends a submission whose client was closed: the store has it.
    var answers: [(promise: Promise<Resolution?>, end: Resolution?)] = []
    var joined: Result<Void, JoinError>?
    var wakesHost = false
  }

  /// A submission without an answer.
  private struct PromisedAnswer {
    var operation: TableOperation
    /// The submission's promise and time; `nil` for an operation of an earlier process.
    let waiting: (promise: Promise<Resolution?>, since: Instant)?
  }

  init(_ machine: ClientMachine, joinDeadline: Instant, stored: StoredSession?) {
    self.machine = machine
    self.stored = stored
    self.joinDeadline = joinDeadline
  }

  var replica: Replica? { machine.replica }

  /// The table's seats. Their sessions are part of the state; whether one is connected is presence.
  var seats: [Seat] {
    (machine.replica?.state.seats ?? []).map { seat in
      var seat = seat
      let connected = present[seat.person] ?? []
      seat.isConnected = !connected.isEmpty
      seat.otherSessions = connected == [seat.person] ? [] : connected
      return seat
    }
  }

  /// The claims of others' drags, if the table type enforces them; `nil` for none. The daemon may have ended one before
  /// its drag ends.
  var claims: [ItemID: Claim]? {
    guard let state = machine.replica?.state, state.type.claims else { return nil }
    var claims: [ItemID: Claim] = [:]
    for (session, drag) in drags {
      for item in drag.items { claims[item] = Claim(session: session, since: state.revision) }
    }
    return claims
  }

  /// Returns an item of the visible state, with the id that the app knows.
  func item(_ id: ItemID) -> Item? {
    machine.replica?.state.item(identities.tableID(of: id)).map(identities.shown)
  }

  /// Others' drags with the ids that the app knows, ordered by session.
  var shownDrags: [Drag] { drags.values.sorted { $0.session < $1.session }.map(identities.shown) }

  var nextDeadline: Instant? {
    [machine.nextDeadline, pacer.nextDeadline, joinDeadline].compactMap(\.self).min()
  }

  // MARK: Events, on the loop's thread

  mutating func handle(
    _ event: HostEvent, at now: Instant, into hostCommands: inout [HostCommand], _ deferred: inout Deferred
  ) {
    isHostWoken = true  // The host is running: it fetches whatever is queued meanwhile.
    if case .closed(let reason) = event { lastFailure = reason }
    machine.handle(event, at: now, into: &effects)
    if case .woken = event {
      if let drag = pacer.due(at: now) { machine.drag(drag, at: now, into: &effects) }
      if let joinDeadline, now >= joinDeadline { timeOutJoining(at: now, &deferred) }
    }
    applyEffects(at: now, &deferred)
    hostCommands.append(contentsOf: takeCommands())
    isHostWoken = false
    deferred.wakesHost = false
  }

  /// Returns the queued commands. One write of the store, of what it must have now, stands for all that were queued: before
  /// the first message that needs one.
  private mutating func takeCommands() -> [HostCommand] {
    if !saveWaiters.isEmpty, persistIndex == nil { persistIndex = commands.count }
    if let index = persistIndex, let stored, let record = machine.record {
      commands.insert(.persist(stored, record, saved: saveWaiters), at: index)
      saveWaiters = []
    }
    persistIndex = nil
    defer { commands.removeAll(keepingCapacity: true) }
    return commands
  }

  // MARK: Calls by the app, on any thread

  mutating func submit(
    _ kind: TableOperation.Kind, id: OperationID?, sendsRefused: Bool, at now: Instant, _ deferred: inout Deferred
  ) -> Submission {
    let submittedAt = stored == nil && id == nil ? 0 : WallClock.milliseconds()
    guard
      let submission = machine.submit(
        identities.sent(kind), sendsRefused: sendsRefused, id: id, submittedAt: submittedAt, at: now, into: &effects)
    else {
      return Submission(refused: unavailableRefusal)
    }
    return register(submission, at: now, &deferred)
  }

  private mutating func register(
    _ submission: Replica.Submission, at now: Instant, _ deferred: inout Deferred
  ) -> Submission {
    guard let operation = submission.operation else {
      if case .refused(let refusal) = submission.prediction { return Submission(refused: refusal) }
      if case .unchanged = submission.prediction { return Submission(unchanged: ()) }
      return Submission(refused: Refusal(.forbidden))
    }
    let promise = Promise<Resolution?>()
    promises.append(PromisedAnswer(operation: operation, waiting: (promise, now)))
    if let state = replica?.state { identities.prune(state) }
    identities.created(submission.changes)
    let changes = identities.shown(submission.changes)
    applyEffects(at: now, &deferred)
    return Submission(submission, changes, promise)
  }

  mutating func undo(
    _ submission: Replica.Submission, at now: Instant, _ deferred: inout Deferred
  ) -> Submission {
    guard let undo = machine.undo(submission, at: now, into: &effects) else {
      return Submission(refused: replica == nil ? unavailableRefusal : Refusal(.undoTooLate))
    }
    return register(undo, at: now, &deferred)
  }

  private var unavailableRefusal: Refusal {
    if case .ended = connection { return Refusal(.notJoined, detail: "the client has left the table") }
    guard let replica = machine.replica else {
      return Refusal(.notJoined, detail: "the client has not received the table yet")
    }
    return Refusal(.tooManyPending, detail: "\(replica.pending.count) operations are pending")
  }

  mutating func drag(_ drag: Drag, at now: Instant, _ deferred: inout Deferred) {
    if let paced = pacer.pace(identities.sent(drag), at: now) { machine.drag(paced, at: now, into: &effects) }
    applyEffects(at: now, &deferred)
    // A throttled movement is sent by the host's timer.
    if pacer.nextDeadline != nil { wakeHost(&deferred) }
  }

  mutating func setPresence(_ value: [UInt8], at now: Instant, _ deferred: inout Deferred) -> Refusal? {
    let refusal = machine.setPresence(value, at: now, into: &effects)
    applyEffects(at: now, &deferred)
    // The host's timer sends a value that comes too soon after the last one.
    if refusal == nil { wakeHost(&deferred) }
    return refusal
  }

  mutating func send(_ chat: Chat, at now: Instant, _ deferred: inout Deferred) -> Refusal? {
    let refusal = machine.send(chat, at: now, into: &effects)
    applyEffects(at: now, &deferred)
    return refusal
  }

  mutating func leave(at now: Instant, _ deferred: inout Deferred) {
    machine.leave(at: now, into: &effects)
    applyEffects(at: now, &deferred)
  }

  mutating func close(at now: Instant, _ deferred: inout Deferred) {
    machine.close(at: now, into: &effects)
    applyEffects(at: now, &deferred)
  }

  mutating func reconnectNow(at now: Instant, _ deferred: inout Deferred) {
    machine.reconnectNow(at: now, into: &effects)
    applyEffects(at: now, &deferred)
  }

  /// Resolves a promise once everything submitted so far is in the store.
  mutating func save(_ saved: Promise<Result<Void, SessionStoreError>>, _ deferred: inout Deferred) {
    guard let stored, !stored.isClosed else { return saved.resolve(.success(())) }
    saveWaiters.append(saved)
    wakeHost(&deferred)
  }

  /// Removes and returns the promises that wait for a write. A client that ends writes its store, and then resolves them.
  mutating func takeSaveWaiters() -> [Promise<Result<Void, SessionStoreError>>] {
    defer { saveWaiters = [] }
    return saveWaiters
  }

  /// Returns what became of an operation, with the ids that the app knows.
  func status(of id: OperationID) -> OperationStatus? {
    let status = machine.status(of: id)
    guard case .accepted(let revision, let items) = status else { return status }
    return .accepted(revision, items: items.map(identities.localID))
  }

  /// Returns the operations without an answer. Those of an earlier process have no promise, and come first.
  func waiting(at now: Instant) -> WaitingOperations {
    let known = machine.identities
    let count = machine.replica?.pending.count ?? known.count
    let since = promises.first?.waiting?.since
    var age = since.map { now.nanoseconds - min($0.nanoseconds, now.nanoseconds) }
    if since == nil, count > 0, let first = known.first, first.submittedAt > 0 {
      let milliseconds = WallClock.milliseconds()
      age =
        (milliseconds - min(first.submittedAt, milliseconds)).multipliedReportingOverflow(by: 1_000_000).partialValue
    }
    return WaitingOperations(
      count: count, countMax: Int(machine.welcome?.pendingMax ?? 0),
      since: age.map { .now - .nanoseconds(Int64(clamping: $0)) }, connection: connection)
  }

  // MARK: Feeds

  mutating func addFeed(weightMax: Int) -> UInt64 {
    lastFeed += 1
    feeds[lastFeed] = ClientFeed(weightMax: weightMax)
    if case .ended(let goodbye) = connection { feeds[lastFeed]?.append(.ended(goodbye)) }
    return lastFeed
  }

  // MARK: Effects

  private mutating func applyEffects(at now: Instant, _ deferred: inout Deferred) {
    for effect in effects {
      switch effect {
      case .connect: commands.append(.connect)
      case .persist: persistIndex = persistIndex ?? commands.count
      case .send(let message): commands.append(.send(message))
      case .refreshToken: commands.append(.refreshToken)
      case .disconnect: commands.append(.disconnect)
      case .event(let event): receive(event, at: now, &deferred)
      }
    }
    effects.removeAll(keepingCapacity: true)
    if !commands.isEmpty || persistIndex != nil { wakeHost(&deferred) }
  }

  private mutating func wakeHost(_ deferred: inout Deferred) {
    if isHostWoken { return }
    isHostWoken = true
    deferred.wakesHost = true
  }

  private mutating func receive(_ event: ClientEvent, at now: Instant, _ deferred: inout Deferred) {
    switch event {
    case .joined(let session, _):
      identities.joined(session)
      connection = .live
      joinDeadline = nil
      deferred.joined = .success(())
      realignPromises(&deferred)
      updateHandles()
      if let drag = pacer.resumed { sendAgain(drag, at: now) }
    case .changed([.reloaded]):
      realignPromises(&deferred)
      updateHandles()
      if let replica { identities.reloaded(replica) }
    case .answered(let answered): resolve(answered, &deferred)
    case .drag(let drag): receive(drag)
    case .seats(let seats):
      present = Dictionary(seats.filter(\.isConnected).map { ($0.person, $0.connectedSessions) }) { $1 }
    case .disconnected(let goodbye, let delay): disconnected(goodbye, retryIn: delay, at: now, &deferred)
    case .ended(let goodbye): ended(goodbye, &deferred)
    case .changed(let changes): updateHandles(changes)
    case .diff, .diverged, .presence, .chat, .countdown, .watching: break
    }
    guard let event = shown(event) else { return }
    for number in feeds.keys {
      feeds[number]?.append(event)
      if let reader = feeds[number]?.waiter {
        feeds[number]?.waiter = nil
        deferred.readers.append(reader)
      }
    }
  }

  /// Returns an event with the ids that the app knows; `nil` if nothing remains of it.
  private mutating func shown(_ event: ClientEvent) -> ClientEvent? {
    switch event {
    case .changed(let changes):
      let shown = identities.shown(changes)
      return shown.isEmpty ? nil : .changed(shown)
    case .drag(let drag):
      // A movement has the items that the drag began with.
      return .drag(identities.shown(drag.phase == .moved ? drags[drag.session] ?? drag : drag))
    case .joined, .diff, .answered, .presence, .chat, .countdown, .watching, .seats, .disconnected, .diverged, .ended:
      return event
    }
  }

  /// Begins the drag again, behind the messages of the machine's own reconnect, which are still queued as effects.
  private mutating func sendAgain(_ drag: Drag, at now: Instant) {
    var later: [ClientEffect] = []
    machine.drag(drag, at: now, into: &later)
    for case .send(let message) in later { commands.append(.send(message)) }
  }

  /// Keeps the names of the collections that items open.
  mutating func updateHandles(_ changes: [TableChange]) {
    guard let state = machine.replica?.state, state.type.opensCollections else { return }
    var opened: [CollectionHandle] = []
    var hasClosed = false
    for change in changes {
      switch change {
      case .opened(let handle, _): opened.append(handle)
      case .renamedCollection(_, let handle):
        opened.append(handle)
        hasClosed = true
      case .closed: hasClosed = true
      case .removed, .inserted, .moved, .updated, .renamed, .status, .variables, .seats, .enabled, .counted, .reloaded:
        break
      }
    }
    if hasClosed { handles = handles.filter { state.isKnown($0.value) } }
    for handle in opened where state.isKnown(handle) { handles[state.rules(of: handle).id] = handle }
  }

  private mutating func updateHandles() {
    guard let state = machine.replica?.state else { return }
    handles.removeAll(keepingCapacity: true)
    for handle in state.handles { handles[state.rules(of: handle).id] = handle }
  }

  private mutating func resolve(_ answered: Answered, _ deferred: inout Deferred) {
    identities.answered(answered.operation, machine)
    guard let index = promises.firstIndex(where: { $0.operation.sequence == answered.operation.sequence }) else {
      return
    }
    guard let waiting = promises.remove(at: index).waiting else { return }
    deferred.answers.append((waiting.promise, Resolution(answered, identities, machine)))
  }

  /// Assigns the current sequence numbers to the promises: a new epoch renumbers pending operations in the old order.
  private mutating func realignPromises(_ deferred: inout Deferred) {
    let pending = machine.replica?.pending ?? []
    while promises.count > pending.count {
      guard let waiting = promises.removeFirst().waiting else { continue }
      deferred.answers.append((waiting.promise, Resolution(.unknown)))
    }
    // Those of an earlier process come first.
    let restored = pending.dropLast(promises.count)
    promises.insert(contentsOf: restored.map { PromisedAnswer(operation: $0.operation, waiting: nil) }, at: 0)
    var numbers: [SequenceNumber: SequenceNumber] = [:]
    for (index, submitted) in pending.enumerated() {
      let number = submitted.operation.sequence
      if promises[index].operation.sequence != number { numbers[promises[index].operation.sequence] = number }
      promises[index].operation = submitted.operation
    }
    if !numbers.isEmpty { identities.renumbered(numbers) }
  }

  private mutating func receive(_ drag: Drag) {
    if drag.isRefused { return pacer.refused(drag) }
    switch drag.phase {
    case .began, .moved:
      guard drags[drag.session] != nil || drags.count < ClientLimits.dragsMax else { return }
      var drag = drag
      if drag.phase == .moved, let known = drags[drag.session] { drag.items = known.items }
      if drag.items.count > WireLimits.dragItemsMax {
        drag.items = ItemList(drag.items.prefix(WireLimits.dragItemsMax))
      }
      drags[drag.session] = drag
    case .ended, .cancelled: drags[drag.session] = nil
    }
  }

  private mutating func disconnected(
    _ goodbye: Goodbye?, retryIn delay: Duration, at now: Instant, _ deferred: inout Deferred
  ) {
    connection = .reconnecting(at: .now + delay, after: goodbye)
    // Presence lives as long as the connection.
    drags = [:]
    present = [:]
    if let goodbye { lastFailure = "\(goodbye.reason.rawValue): \(goodbye.detail)" }
    // No attempt fits before the deadline: let the host's timer expire it now.
    if let joinDeadline, delay >= joinDeadline.duration(since: now) { self.joinDeadline = now }
  }

  private mutating func timeOutJoining(at now: Instant, _ deferred: inout Deferred) {
    joinDeadline = nil
    let failure = lastFailure.isEmpty ? "the daemon did not answer in time" : lastFailure
    deferred.joined = .failure(.unreachable(failure))
    machine.close(at: now, into: &effects)
  }

  private mutating func ended(_ goodbye: Goodbye, _ deferred: inout Deferred) {
    connection = .ended(goodbye)
    joinDeadline = nil
    drags = [:]
    present = [:]
    // With a store, a closed client's submissions have no answer yet.
    for case let waiting? in promises.map(\.waiting) { deferred.answers.append((waiting.promise, nil)) }
    promises = []
    if deferred.joined == nil { deferred.joined = .failure(.refused(goodbye)) }
    commands.append(.remove)
  }
}
