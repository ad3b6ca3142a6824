import BaizeBot
import BaizeClient
import BaizeCommandLine
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Runs all bots on one thread.
///
/// A bot acts when its timer fires: it asks its strategy, submits the operation and pauses. While its strategy waits, the
/// bot is woken by the table's next event.
final class BotSession {
  private let options: BotOptions
  private let host: ClientHost
  private let began = MonotonicClock.now()
  private var bots: [Bot] = []
  private var random: RandomSource
  private var counts = BotCounts()
  private var end: End?
  /// Whether enough seats were taken for the bots to act.
  private var hasBegun = false

  /// The reason for the end of a run.
  private enum End {
    case won
    /// The game has ended with another status, such as `won-2`.
    case over(String)
    case stuck
    case timeIsOver
    case interrupted
    /// The daemon ended a bot's session or could not be reached.
    case closed(String)
    case cannotPlay(String)
  }

  /// - Throws: `SystemError` if the system has no descriptors left.
  init(_ options: BotOptions) throws {
    self.options = options
    host = try ClientHost()
    random = options.seed.map(RandomSource.init(seed:)) ?? RandomSource { UInt64.random(in: 0...UInt64.max) }
  }

  // MARK: The run

  func run(until request: StopRequest) throws -> BotExit {
    // The other bots join once the table exists.
    join()
    while end == nil {
      try host.turn(timeout: Self.turnNanoseconds)
      if request.isMade { finish(.interrupted) }
      let isOver = options.seconds.map { age >= Double($0) } ?? false
      if bots[0].strategy == nil, isOver || age >= Self.joinSecondsMax {
        finish(.closed("\(options.endpoint) does not answer"))
      }
      if isOver { finish(.timeIsOver) }
    }
    let summary = self.summary
    host.leaveAll()
    try host.run(until: MonotonicClock.now() + Self.leaveNanosecondsMax)
    return report(summary)
  }

  /// The interval at which signals and the clock are checked.
  private static let turnNanoseconds: UInt64 = 50_000_000
  private static let leaveNanosecondsMax: UInt64 = 2_000_000_000
  private static let joinSecondsMax = 10.0

  private var age: Double { Double(MonotonicClock.now() - began) / 1e9 }

  private func finish(_ end: End) { self.end = self.end ?? end }

  private func join() {
    var configuration = ClientConfiguration(
      table: options.table, tableType: options.tableType, name: "\(options.name) \(bots.count + 1)",
      // If the first bot has created the table it has received the invite for the others.
      invite: bots.first?.client.invite ?? options.invite,
      seed: bots.isEmpty ? options.dealSeed : 0)
    configuration.reportsChanges = false
    let client = host.join(options.endpoint, configuration, tag: bots.count, handler: self)
    bots.append(Bot(name: configuration.name, client: client, random: random.split(), pace: random.split()))
  }

  // MARK: Playing

  private func act(_ bot: Int) {
    let client = bots[bot].client
    guard end == nil, client.isLive, let replica = client.replica else { return }
    bots[bot].isThinking = false
    guard begins(at: replica.state) else {
      client.timerDeadline = client.now.advanced(byMilliseconds: Self.idleMilliseconds)
      return
    }
    switch bots[bot].decide(at: replica) {
    case .submit(let kind, let sendsRefused): submit(kind, sendsRefused, at: replica.state, bot)
    case .wait: client.timerDeadline = client.now.advanced(byMilliseconds: Self.idleMilliseconds)
    case .done(let conclusion): conclude(conclusion, bot)
    case nil: break
    }
  }

  /// Returns whether all players have been at the table once.
  private func begins(at state: TableState) -> Bool {
    hasBegun = hasBegun || state.seats.count >= options.playersMin
    return hasBegun
  }

  /// The interval at which a waiting bot is woken without an event.
  private static let idleMilliseconds: UInt64 = 100

  private func submit(_ kind: TableOperation.Kind, _ sendsRefused: Bool, at state: TableState, _ bot: Int) {
    let line = Narration.line(for: kind, at: state)
    let submission = bots[bot].client.submit(kind, sendsRefused: sendsRefused)
    if let operation = submission?.operation {
      bots[bot].sent[operation.sequence] = line
    } else if case .refused(let refusal)? = submission?.prediction {
      report(bot, "\(line): not sent, \(Narration.line(for: refusal))")
      bots[bot].strategy?.received(.refused(refusal), to: kind)
    }
    let now = bots[bot].client.now
    bots[bot].restsUntil = Instant(nanoseconds: now.nanoseconds + restNanoseconds(bot))
    bots[bot].isThinking = true
    bots[bot].client.timerDeadline = bots[bot].restsUntil
  }

  /// Returns a pause of 0.5 to 1.5 intervals, so that the bots do not act in step.
  private func restNanoseconds(_ bot: Int) -> UInt64 {
    if options.pace == .human { return 1_000_000 * ThinkTime.milliseconds(random: &bots[bot].pace) }
    // At least 1, so that a bot without pauses does not monopolise the turn.
    guard options.rate > 0 else { return 1 }
    let interval = 1_000_000_000 / options.rate
    return interval / 2 + bots[bot].pace.next(below: interval + 1)
  }

  private func conclude(_ conclusion: Conclusion, _ bot: Int) {
    // The conclusion counts only once the daemon has confirmed the state it is drawn from. Its answer wakes the bot.
    guard bots[bot].client.pendingCount == 0 else { return }
    bots[bot].conclusion = conclusion
    if conclusion == .unknownGame { return finish(.cannotPlay("the greedy strategy cannot play at this table")) }
    guard options.endsWhenWon else { return }
    switch conclusion {
    case .won: return finish(.won)
    case .over(let status): return finish(.over(status))
    case .stuck, .unknownGame: break
    }
    // All bots must have concluded the same revision.
    let revision = bots[bot].client.replica?.confirmedRevision
    let isOver =
      bots.count == options.count
      && bots.allSatisfy { $0.conclusion != nil && $0.client.replica?.confirmedRevision == revision }
    if isOver { finish(.stuck) }
  }

  /// Wakes a bot after an event.
  private func wake(_ bot: Int) {
    bots[bot].conclusion = nil
    if options.pace == .human, !bots[bot].isThinking {
      let now = bots[bot].client.now
      bots[bot].restsUntil = Instant(nanoseconds: now.nanoseconds + restNanoseconds(bot))
      bots[bot].isThinking = true
    }
    bots[bot].client.timerDeadline = max(bots[bot].restsUntil, bots[bot].client.now)
  }

  private func observe(_ bot: Int) {
    if let replica = bots[bot].client.replica { bots[bot].strategy?.observe(replica) }
  }

  // MARK: Output

  private func report(_ bot: Int, _ text: @autoclosure () -> String) {
    if !options.isQuiet { Console.print("\(bots[bot].name): \(text())") }
  }

  private func report(_ answered: Answered, _ bot: Int) {
    let operation = bots[bot].sent.removeValue(forKey: answered.operation.sequence) ?? "an operation"
    guard !options.isQuiet, let state = bots[bot].client.replica?.state else { return }
    guard case .accepted(var diff) = answered.answer else {
      return report(bot, "\(operation): \(Narration.line(for: answered.answer, at: state))")
    }
    diff.changes = InlineList(diff.changes.filter { !$0.isImplied(by: answered.operation.kind, diff) })
    let isComplete = diff.changes.isEmpty && !diff.isRebased && !diff.isRedirected
    report(bot, operation + (isComplete ? "" : ": \(Narration.line(for: diff, at: state))"))
  }

  /// The results of the run, taken before the bots leave.
  private var summary: String {
    let many = bots.count == 1 ? "1 bot" : "\(bots.count) bots"
    let tenths = Int(age * 10)
    var text = "\(many), \(tenths / 10).\(tenths % 10) s: \(counts.text)"
    guard let state = bots.compactMap(\.client.replica).max(by: { $0.confirmedRevision < $1.confirmedRevision })?.state
    else { return text }
    text += "; table \(options.table) at revision \(state.revision.rawValue), \(state.status.printable())"
    let foundations = state.handles.filter { state.rules(of: $0).id.hasPrefix("foundation/") }
    if !foundations.isEmpty {
      let count = foundations.reduce(0) { $0 + state.count(in: $1) }
      text += ", \(count) of \(state.itemCount) cards on the foundations"
    }
    return text
  }

  private func report(_ summary: String) -> BotExit {
    switch end {
    case .won:
      Console.print("won: \(summary)")
      return .success
    case .over(let status):
      Console.print("\(status.printable()): \(summary)")
      return .success
    case .stuck:
      Console.print("stuck: \(summary)")
      return .stuck
    case .timeIsOver, .interrupted, nil:
      Console.print(summary)
      return options.endsWhenWon ? .failed : .success
    case .closed(let reason):
      Console.printError("baize-bot: \(reason)")
      return .failed
    case .cannotPlay(let reason):
      Console.printError("baize-bot: \(reason)")
      return .misused
    }
  }
}

extension BotSession: LoopClientHandler {
  func timerFired(_ client: LoopClient) { act(client.tag) }

  func received(_ event: ClientEvent, by client: LoopClient) {
    let bot = client.tag
    switch event {
    case .joined: joined(bot)
    case .diff:
      observe(bot)
      wake(bot)
    case .answered(let answered):
      counts.add(answered.answer)
      bots[bot].strategy?.received(answered)
      observe(bot)
      report(answered, bot)
      wake(bot)
    case .changed: if bots[bot].conclusion != nil { wake(bot) }
    case .disconnected(let goodbye, _): lost(bot, goodbye)
    case .diverged(let detail): report(bot, "reloads the table: \(detail.printable())")
    case .ended(let goodbye): ended(bot, goodbye)
    case .drag, .seats, .presence, .chat, .countdown, .watching: break
    }
  }

  private func joined(_ bot: Int) {
    guard let state = bots[bot].client.replica?.state else { return }
    bots[bot].isDisconnectionReported = false
    if bots[bot].strategy == nil {
      bots[bot].strategy = Bot.strategy(options.strategy, for: state.type)
      while bots.count < options.count { join() }
    }
    report(bot, "joined table \(options.table) (\(state.type.name.printable())), revision \(state.revision.rawValue)")
    wake(bot)
  }

  private func lost(_ bot: Int, _ goodbye: Goodbye?) {
    if bots[bot].isDisconnectionReported { return }
    bots[bot].isDisconnectionReported = true
    let reason = goodbye.map { ": \($0.line)" } ?? ""
    report(bot, "lost the connection to \(options.endpoint)\(reason); reconnecting")
  }

  private func ended(_ bot: Int, _ goodbye: Goodbye) {
    guard end == nil else { return }
    finish(.closed("\(bots[bot].name): \(goodbye.line)"))
  }
}

extension Change {
  /// Returns whether the operation's description implies this change: the move itself, and the face of what an action moves.
  fileprivate func isImplied(by kind: TableOperation.Kind, _ diff: Diff) -> Bool {
    switch self {
    case .moved: if case .reorder = kind { true } else { false }
    case .faced(let items):
      items.allSatisfy { item in
        diff.changes.contains { if case .moved(let moved, _) = $0 { moved.contains(item.id) } else { false } }
      }
    case .inserted, .removed, .status, .enabled, .counted, .variables, .seats: false
    }
  }
}

extension Goodbye {
  /// The reason with its sentence, safe to print.
  fileprivate var line: String {
    (reason.rawValue + (detail.isEmpty ? "" : ": \(detail)")).printable(lengthMax: 300)
  }
}
