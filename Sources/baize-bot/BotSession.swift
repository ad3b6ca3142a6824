import BaizeBot
import BaizeClient
import BaizeCommandLine
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// All bots of a run, on the loop of one thread.
///
/// A bot acts when its alarm comes: it asks its strategy, submits, and rests. While the strategy waits, or has nothing to
/// do any more, the bot is asked again as soon as something happens at the table.
final class BotSession {
  private let options: BotOptions
  private let host: ClientHost
  private let began = MonotonicClock.now()
  private var bots: [Bot] = []
  private var random: RandomSource
  private var counts = BotCounts()
  private var end: End?

  /// Why a run ends.
  private enum End {
    case won
    case stuck
    case timeIsOver
    case interrupted
    /// The table is closed to a bot, or was never reached.
    case closed(String)
    case cannotPlay(String)
  }

  /// - Throws: `SystemError` when there are no descriptors left.
  init(_ options: BotOptions) throws {
    self.options = options
    host = try ClientHost()
    random = options.seed.map(RandomSource.init(seed:)) ?? RandomSource { UInt64.random(in: 0...UInt64.max) }
  }

  // MARK: The run

  func run(until wish: StopWish) throws -> BotExit {
    // The others follow when the table exists.
    join()
    while end == nil {
      try host.turn(timeout: Self.turnNanoseconds)
      if wish.isMade { finish(.interrupted) }
      let isOver = options.seconds.map { age >= Double($0) } ?? false
      if bots[0].strategy == nil, isOver || age >= Self.patienceSeconds {
        finish(.closed("\(options.address) does not answer"))
      }
      if isOver { finish(.timeIsOver) }
    }
    let summary = self.summary
    host.leaveAll()
    try host.run(until: MonotonicClock.now() + Self.farewellNanoseconds)
    return report(summary)
  }

  /// How often signals and the clock are looked at.
  private static let turnNanoseconds: UInt64 = 50_000_000
  private static let farewellNanoseconds: UInt64 = 2_000_000_000
  private static let patienceSeconds = 10.0

  private var age: Double { Double(MonotonicClock.now() - began) / 1e9 }

  private func finish(_ end: End) { self.end = self.end ?? end }

  private func join() {
    var configuration = ClientConfiguration(
      table: options.table, tableType: options.tableType, name: "\(options.name) \(bots.count + 1)",
      // The first may have created the table, and was told what lets the others in.
      invite: bots.first?.client.invite ?? options.invite,
      seed: bots.isEmpty ? options.dealSeed : 0)
    configuration.reportsChanges = false
    let client = host.join(.tcp(options.address), configuration, tag: bots.count, handler: self)
    bots.append(Bot(name: configuration.name, client: client, random: random.split(), pace: random.split()))
  }

  // MARK: Playing

  private func act(_ bot: Int) {
    let client = bots[bot].client
    guard end == nil, client.isLive, let replica = client.replica else { return }
    switch bots[bot].decide(at: replica) {
    case .submit(let kind, let sendsRefused): submit(kind, sendsRefused, at: replica.state, bot)
    case .wait: client.alarmAt = client.now.advanced(byMilliseconds: Self.idleMilliseconds)
    case .done(let conclusion): conclude(conclusion, bot)
    case nil: break
    }
  }

  /// When a bot that waits is asked again if nothing happens at all.
  private static let idleMilliseconds: UInt64 = 100

  private func submit(_ kind: TableOperation.Kind, _ sendsRefused: Bool, at state: TableState, _ bot: Int) {
    let line = Narration.line(for: kind, at: state)
    let submission = bots[bot].client.submit(kind, sendsRefused: sendsRefused)
    if let operation = submission?.operation {
      bots[bot].asked[operation.sequence] = line
    } else if case .refused(let refusal)? = submission?.prediction {
      tell(bot, "\(line): not sent, \(Narration.line(for: refusal))")
      bots[bot].strategy?.hear(.refused(refusal), to: kind)
    }
    let now = bots[bot].client.now
    bots[bot].restsUntil = Instant(nanoseconds: now.nanoseconds + restNanoseconds(bot))
    bots[bot].client.alarmAt = bots[bot].restsUntil
  }

  /// From half a beat to one and a half, so that bots neither march in step nor never meet.
  private func restNanoseconds(_ bot: Int) -> UInt64 {
    // Not nothing: a bot without rest would keep the turn to itself.
    guard options.rate > 0 else { return 1 }
    let beat = 1_000_000_000 / options.rate
    return beat / 2 + bots[bot].pace.next(below: beat + 1)
  }

  private func conclude(_ conclusion: Conclusion, _ bot: Int) {
    // What shows before its answer is there has not happened yet. The answer wakes the bot.
    guard bots[bot].client.pendingCount == 0 else { return }
    bots[bot].conclusion = conclusion
    if conclusion == .unknownGame { return finish(.cannotPlay("the greedy strategy cannot play at this table")) }
    guard options.endsWhenWon else { return }
    if conclusion == .won { return finish(.won) }
    // Nobody may have more to do, and all must speak of the same table.
    let revision = bots[bot].client.replica?.confirmedRevision
    let isOver =
      bots.count == options.count
      && bots.allSatisfy { $0.conclusion != nil && $0.client.replica?.confirmedRevision == revision }
    if isOver { finish(.stuck) }
  }

  /// Something has happened: whoever waited for that is asked again.
  private func wake(_ bot: Int) {
    bots[bot].conclusion = nil
    bots[bot].client.alarmAt = max(bots[bot].restsUntil, bots[bot].client.now)
  }

  // MARK: Telling

  private func tell(_ bot: Int, _ text: @autoclosure () -> String) {
    if !options.isQuiet { Console.say("\(bots[bot].name): \(text())") }
  }

  private func tell(_ answered: Answered, _ bot: Int) {
    let asked = bots[bot].asked.removeValue(forKey: answered.operation.sequence) ?? "something"
    guard !options.isQuiet, let state = bots[bot].client.replica?.state else { return }
    guard case .accepted(var diff) = answered.answer else {
      return tell(bot, "\(asked): \(Narration.line(for: answered.answer, at: state))")
    }
    diff.changes = InlineList(diff.changes.filter { !$0.isImplied(by: answered.operation.kind, diff) })
    let isAllSaid = diff.changes.isEmpty && !diff.isRebased && !diff.isRedirected
    tell(bot, asked + (isAllSaid ? "" : ": \(Narration.line(for: diff, at: state))"))
  }

  /// How the run went, before the bots leave.
  private var summary: String {
    let many = bots.count == 1 ? "1 bot" : "\(bots.count) bots"
    let tenths = Int(age * 10)
    var text = "\(many), \(tenths / 10).\(tenths % 10) s: \(counts.text)"
    guard let state = bots.compactMap(\.client.replica).max(by: { $0.confirmedRevision < $1.confirmedRevision })?.state
    else { return text }
    text += "; table \(options.table) at revision \(state.revision.rawValue), \(state.status)"
    let foundations = state.type.collections.filter { $0.id.hasPrefix("foundation/") }
    if !foundations.isEmpty {
      let count = foundations.reduce(0) { $0 + (state.type.handle(of: $1.id).map(state.count(in:)) ?? 0) }
      text += ", \(count) of \(state.itemCount) cards on the foundations"
    }
    return text
  }

  private func report(_ summary: String) -> BotExit {
    switch end {
    case .won:
      Console.say("won: \(summary)")
      return .success
    case .stuck:
      Console.say("stuck: \(summary)")
      return .stuck
    case .timeIsOver, .interrupted, nil:
      Console.say(summary)
      return options.endsWhenWon ? .failed : .success
    case .closed(let why):
      Console.complain("baize-bot: \(why)")
      return .failed
    case .cannotPlay(let why):
      Console.complain("baize-bot: \(why)")
      return .misused
    }
  }
}

extension BotSession: LoopClientHandler {
  func alarm(_ client: LoopClient) { act(client.tag) }

  func heard(_ event: ClientEvent, by client: LoopClient) {
    let bot = client.tag
    switch event {
    case .joined: joined(bot)
    case .diff: wake(bot)
    case .answered(let answered):
      counts.note(answered.answer)
      bots[bot].strategy?.hear(answered)
      tell(answered, bot)
      wake(bot)
    case .changed: if bots[bot].conclusion != nil { wake(bot) }
    case .disconnected(let goodbye, _): lost(bot, goodbye)
    case .diverged(let why): tell(bot, "takes the table anew: \(why)")
    case .ended(let goodbye): ended(bot, goodbye)
    case .drag, .seats: break
    }
  }

  private func joined(_ bot: Int) {
    guard let state = bots[bot].client.replica?.state else { return }
    bots[bot].isAway = false
    if bots[bot].strategy == nil {
      bots[bot].strategy = Bot.strategy(options.strategy, for: state.type)
      while bots.count < options.count { join() }
    }
    tell(bot, "is at table \(options.table) (\(state.type.name)), revision \(state.revision.rawValue)")
    wake(bot)
  }

  private func lost(_ bot: Int, _ goodbye: Goodbye?) {
    if bots[bot].isAway { return }
    bots[bot].isAway = true
    let why = goodbye.map { ": \($0.line)" } ?? ""
    tell(bot, "no connection to \(options.address)\(why); trying again")
  }

  private func ended(_ bot: Int, _ goodbye: Goodbye) {
    guard end == nil else { return }
    finish(.closed("\(bots[bot].name): \(goodbye.line)"))
  }
}

extension Change {
  /// Whether a line that says what was asked for says this, too: the move itself, and the face of what an action moves.
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
  /// The reason and its sentence, without what could steer a terminal.
  fileprivate var line: String {
    let text = reason.rawValue + (detail.isEmpty ? "" : ": \(detail)")
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(300) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: line.append("?")
      default: line.append(scalar)
      }
    }
    return String(line)
  }
}
