import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// What an app's thread and the loop's thread share about one client, behind a lock: the machine, and what follows from
/// its events.
struct ClientCore {
  private(set) var machine: ClientMachine
  private(set) var connection = ConnectionState.joining
  /// The sessions that are connected, of those that sit.
  private var present: Set<SessionID> = []
  /// Others' drags, by their sessions.
  private(set) var drags: [SessionID: Drag] = [:]
  private(set) var handles: [String: CollectionHandle] = [:]
  var feeds: [UInt64: ClientFeed] = [:]
  private var lastFeed: UInt64 = 0
  /// For the host, in order.
  private var commands: [WireCommand] = []
  /// The host was asked to come by, and has not yet.
  private var isHostAsked = false
  private var effects: [ClientEffect] = []
  /// Operations whose answers someone may wait for, oldest first.
  private var unanswered: [(sequence: SequenceNumber, promise: Promise<Answer>)] = []
  private var pacer = DragPacer()
  /// When to give up joining for the first time; `nil` once joined, or given up.
  private var joinDeadline: Instant?
  private var lastTrouble = ""

  /// What is to be done outside of the lock.
  struct Aftermath {
    var readers: [CheckedContinuation<Void, Never>] = []
    var answers: [(promise: Promise<Answer>, answer: Answer)] = []
    var joined: Result<Void, JoinError>?
    var asksHost = false
  }

  init(_ machine: ClientMachine, joinDeadline: Instant) {
    self.machine = machine
    self.joinDeadline = joinDeadline
  }

  var replica: Replica? { _read { yield machine.replica } }

  /// Who sits where, which is state, and who is connected, which is not.
  var seats: [Seat] {
    (machine.replica?.state.seats ?? []).map { seat in
      var seat = seat
      seat.isConnected = present.contains(seat.session)
      return seat
    }
  }

  var nextDeadline: Instant? {
    [machine.nextDeadline, pacer.nextDeadline, joinDeadline].compactMap(\.self).min()
  }

  // MARK: What happens, on the loop's thread

  mutating func handle(
    _ happening: Happening, at now: Instant, into wire: inout [WireCommand], _ aftermath: inout Aftermath
  ) {
    isHostAsked = true  // It is here: whatever is asked for meanwhile it will see.
    if case .closed(let why) = happening { lastTrouble = why }
    machine.handle(happening, at: now, into: &effects)
    if case .called = happening {
      if let drag = pacer.due(at: now) { machine.drag(drag, at: now, into: &effects) }
      if let joinDeadline, now >= joinDeadline { giveUp(at: now, &aftermath) }
    }
    settle(at: now, &aftermath)
    wire.append(contentsOf: commands)
    commands.removeAll(keepingCapacity: true)
    isHostAsked = false
    aftermath.asksHost = false
  }

  // MARK: What the app asks for, on any thread

  mutating func submit(
    _ kind: TableOperation.Kind, sendsRefused: Bool, at now: Instant, _ aftermath: inout Aftermath
  ) -> Submission {
    guard let submission = machine.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects) else {
      return Submission(refused: reasonForNothing)
    }
    return take(submission, at: now, &aftermath)
  }

  private mutating func take(
    _ submission: Replica.Submission, at now: Instant, _ aftermath: inout Aftermath
  ) -> Submission {
    guard let operation = submission.operation else {
      if case .refused(let refusal) = submission.prediction { return Submission(refused: refusal) }
      return Submission(refused: Refusal(.forbidden))
    }
    let promise = Promise<Answer>()
    unanswered.append((operation.sequence, promise))
    settle(at: now, &aftermath)
    return Submission(submission, promise)
  }

  mutating func undo(
    _ submission: Replica.Submission, at now: Instant, _ aftermath: inout Aftermath
  ) -> Submission {
    guard let undo = machine.undo(submission, at: now, into: &effects) else {
      return Submission(refused: replica == nil ? reasonForNothing : Refusal(.undoTooLate))
    }
    return take(undo, at: now, &aftermath)
  }

  private var reasonForNothing: Refusal {
    if case .ended = connection { return Refusal(.notJoined, detail: "the table was left") }
    guard let replica = machine.replica else { return Refusal(.notJoined, detail: "the table has not come yet") }
    return Refusal(.tooManyUnanswered, detail: "\(replica.pending.count) operations wait for their answers")
  }

  mutating func drag(_ drag: Drag, at now: Instant, _ aftermath: inout Aftermath) {
    if let paced = pacer.pace(drag, at: now) { machine.drag(paced, at: now, into: &effects) }
    settle(at: now, &aftermath)
    // A movement that waits needs the host's clock.
    if pacer.nextDeadline != nil { askHost(&aftermath) }
  }

  mutating func leave(at now: Instant, _ aftermath: inout Aftermath) {
    machine.leave(at: now, into: &effects)
    settle(at: now, &aftermath)
  }

  // MARK: Feeds

  mutating func addFeed(weightMax: Int) -> UInt64 {
    lastFeed += 1
    feeds[lastFeed] = ClientFeed(weightMax: weightMax)
    if case .ended(let goodbye) = connection { feeds[lastFeed]?.append(.ended(goodbye)) }
    return lastFeed
  }

  // MARK: What follows

  private mutating func settle(at now: Instant, _ aftermath: inout Aftermath) {
    for effect in effects {
      switch effect {
      case .connect: commands.append(.connect)
      case .send(let message): commands.append(.send(message))
      case .disconnect: commands.append(.disconnect)
      case .event(let event): settle(event, at: now, &aftermath)
      }
    }
    effects.removeAll(keepingCapacity: true)
    if !commands.isEmpty { askHost(&aftermath) }
  }

  private mutating func askHost(_ aftermath: inout Aftermath) {
    if isHostAsked { return }
    isHostAsked = true
    aftermath.asksHost = true
  }

  private mutating func settle(_ event: ClientEvent, at now: Instant, _ aftermath: inout Aftermath) {
    switch event {
    case .joined:
      connection = .live
      joinDeadline = nil
      aftermath.joined = .success(())
      realign(&aftermath)
      learnHandles()
      if let drag = pacer.resumed { sendAgain(drag, at: now) }
    case .changed(let changes): if changes == [.reloaded] { realign(&aftermath) }
    case .answered(let answered): answer(answered, &aftermath)
    case .drag(let drag): follow(drag)
    case .seats(let seats): present = Set(seats.filter(\.isConnected).map(\.session))
    case .disconnected(let goodbye, let retryAt): lose(goodbye, retryAt: retryAt, at: now, &aftermath)
    case .ended(let goodbye): end(goodbye, &aftermath)
    case .diff, .diverged: break
    }
    for number in feeds.keys {
      feeds[number]?.append(event)
      if let reader = feeds[number]?.waiter {
        feeds[number]?.waiter = nil
        aftermath.readers.append(reader)
      }
    }
  }

  /// Behind what the machine says itself when it is back: those effects are not carried out yet.
  private mutating func sendAgain(_ drag: Drag, at now: Instant) {
    var later: [ClientEffect] = []
    machine.drag(drag, at: now, into: &later)
    for case .send(let message) in later { commands.append(.send(message)) }
  }

  private mutating func learnHandles() {
    guard let replica = machine.replica else { return }
    handles.removeAll(keepingCapacity: true)
    for (handle, rules) in zip(replica.state.handles, replica.state.type.collections) { handles[rules.id] = handle }
  }

  private mutating func answer(_ answered: Answered, _ aftermath: inout Aftermath) {
    guard let place = unanswered.firstIndex(where: { $0.sequence == answered.operation.sequence }) else { return }
    aftermath.answers.append((unanswered.remove(at: place).promise, answered.answer))
  }

  /// Follows the numbers of what is pending: a new epoch gives new ones, in the old order.
  private mutating func realign(_ aftermath: inout Aftermath) {
    let pending = machine.replica?.pending ?? []
    while unanswered.count > pending.count {
      aftermath.answers.append((unanswered.removeFirst().promise, .unknown))
    }
    for (place, own) in pending.suffix(unanswered.count).enumerated() {
      unanswered[place].sequence = own.operation.sequence
    }
  }

  private mutating func follow(_ drag: Drag) {
    if drag.isRefused { return pacer.refused(drag) }
    switch drag.phase {
    case .began, .moved: drags[drag.session] = drag
    case .ended, .cancelled: drags[drag.session] = nil
    }
  }

  private mutating func lose(
    _ goodbye: Goodbye?, retryAt: Instant, at now: Instant, _ aftermath: inout Aftermath
  ) {
    let delay = Int64(clamping: retryAt.nanoseconds) - Int64(clamping: now.nanoseconds)
    connection = .reconnecting(at: .now + .nanoseconds(max(0, delay)), after: goodbye)
    // Presence comes with the connection, and goes with it.
    drags = [:]
    present = []
    if let goodbye { lastTrouble = "\(goodbye.reason.rawValue): \(goodbye.detail)" }
    // Whoever would not wait for the next attempt need not wait for the deadline either: the host's clock sees to it.
    if let joinDeadline, retryAt >= joinDeadline { self.joinDeadline = now }
  }

  private mutating func giveUp(at now: Instant, _ aftermath: inout Aftermath) {
    joinDeadline = nil
    let trouble = lastTrouble.isEmpty ? "nothing was heard in time" : lastTrouble
    aftermath.joined = .failure(.unreachable(trouble))
    machine.leave(at: now, into: &effects)
  }

  private mutating func end(_ goodbye: Goodbye, _ aftermath: inout Aftermath) {
    connection = .ended(goodbye)
    joinDeadline = nil
    drags = [:]
    present = []
    if aftermath.joined == nil { aftermath.joined = .failure(.refused(goodbye)) }
    commands.append(.retire)
  }
}
