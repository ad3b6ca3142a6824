import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// A table of the demo: its bots, and a spectator whose copy is shown.
final class DemoTable {
  let name: String
  let seed: UInt64
  private(set) var feed = DemoFeed()
  private(set) var comparison: DemoComparison
  /// The game's end, once it has ended.
  private(set) var conclusion: Conclusion?
  /// The reason why a session ended; `nil` if none did.
  private(set) var failure: String?
  /// The items of the last diff.
  private(set) var latest: Set<ItemID> = []
  private let options: DemoOptions
  private let address: SocketAddress
  private let host: ClientHost
  private var bots: [DemoBot] = []
  private var watcher: LoopClient?
  private var chance: RandomSource
  private var isPlaying = true

  init(_ name: String, seed: UInt64, _ options: DemoOptions, at address: SocketAddress, on host: ClientHost) {
    self.name = name
    self.seed = seed
    self.options = options
    self.address = address
    self.host = host
    chance = RandomSource(seed: seed)
    comparison = DemoComparison(copies: options.bots + 1)
    // The others join once the table exists.
    joinBot()
  }

  /// The spectator's state; `nil` before it has joined.
  var state: TableState? { watcher?.replica?.state }

  /// Whether the table exists, so that others can join.
  var exists: Bool { watcher != nil }

  // MARK: Ending

  /// Keeps the bots from submitting operations.
  func stopPlaying() { isPlaying = false }

  /// Whether every operation has been answered.
  var isSettled: Bool { bots.allSatisfy { $0.client.pendingCount == 0 } }

  func leave() {
    for bot in bots { bot.client.leave() }
    watcher?.leave()
  }

  // MARK: Copies

  /// Compares the daemon's hash with the copies'.
  func compare(_ pong: Pong) {
    if pong.viewHash != 0 { comparison.add(daemonHash: pong.viewHash, at: pong.revision.rawValue) }
  }

  /// The number of times a copy differed and was reloaded. It should be 0.
  var divergences: Int { bots.reduce(watcher?.divergences ?? 0) { $0 + $1.client.divergences } }

  func name(ofCopy copy: Int) -> String { copy < bots.count ? bots[copy].name : "the spectator" }

  private func addHash(of client: LoopClient) {
    guard var copy = client.replica else { return }
    comparison.add(copy.confirmedHash(), at: copy.confirmedRevision.rawValue, ofCopy: client.tag)
  }

  // MARK: Joining

  private func joinBot() {
    var configuration = ClientConfiguration(
      table: name, tableType: options.tableType, name: DemoOptions.names[bots.count], seed: bots.isEmpty ? seed : 0)
    configuration.reportsChanges = false
    let client = host.join(.tcp(address), configuration, tag: bots.count, handler: self)
    let plays: any Strategy = options.tableType.hasPrefix("klondike") ? GreedyStrategy() : RandomStrategy()
    bots.append(DemoBot(name: configuration.name, client: client, strategy: plays, random: chance.split()))
  }

  private func joinOthers() {
    guard watcher == nil else { return }
    while bots.count < options.bots { joinBot() }
    var configuration = ClientConfiguration(table: name, name: "watcher", role: .spectator)
    configuration.reportsChanges = false
    watcher = host.join(.tcp(address), configuration, tag: bots.count, handler: self)
  }

  // MARK: Playing

  private func act(_ bot: Int, canBeContended: Bool = true) {
    let client = bots[bot].client
    guard isPlaying, conclusion == nil, client.isLive, let replica = client.replica else { return }
    rest(bot)
    if replica.pending.isEmpty, isHappening(DemoOptions.illegalShare), let kind = bots[bot].illegalDrop(at: replica) {
      return submit(kind, at: replica.state, bot, isIllegal: true)
    }
    switch bots[bot].decide(at: replica) {
    case .submit(let kind, _):
      submit(kind, at: replica.state, bot)
      // Another bot, which has not seen this operation yet, acts at the same time, often on the same cards.
      if canBeContended, bots.count > 1, isHappening(DemoOptions.contendingShare) {
        let step = 1 + Int(chance.next(below: UInt64(bots.count - 1)))
        act((bot + step) % bots.count, canBeContended: false)
      }
    case .wait: break
    case .done(let conclusion): conclude(conclusion, bot)
    }
  }

  private func isHappening(_ share: Double) -> Bool { chance.next(below: 1_000) < UInt64(share * 1_000) }

  /// Pauses the bot for 0.5 to 1.5 intervals, so that the bots do not act in step.
  private func rest(_ bot: Int) {
    let interval = 1_000_000_000 / options.rate
    let rest = interval / 2 + chance.next(below: interval + 1)
    bots[bot].restsUntil = Instant(nanoseconds: bots[bot].client.now.nanoseconds + rest)
    bots[bot].client.timerDeadline = bots[bot].restsUntil
  }

  private func submit(_ kind: TableOperation.Kind, at state: TableState, _ bot: Int, isIllegal: Bool = false) {
    let text = Narration.line(for: kind, at: state)
    let submission = bots[bot].client.submit(kind, sendsRefused: isIllegal)
    if let operation = submission?.operation {
      bots[bot].sent[operation.sequence] = DemoBot.Sent(text: text, isIllegal: isIllegal)
    } else if case .refused(let refusal)? = submission?.prediction {
      bots[bot].strategy.received(.refused(refusal), to: kind)
    }
  }

  private func conclude(_ new: Conclusion, _ bot: Int) {
    // The conclusion counts only once the daemon has confirmed the state it is drawn from.
    guard bots[bot].client.pendingCount == 0 else { return }
    bots[bot].conclusion = new
    let revision = bots[bot].client.replica?.confirmedRevision
    let isUnanimous =
      bots.count == options.bots
      && bots.allSatisfy { $0.conclusion != nil && $0.client.replica?.confirmedRevision == revision }
    guard new != .stuck || isUnanimous, conclusion == nil else { return }
    conclusion = new
    feed.note(new.text, revision: revision?.rawValue)
  }

  private func wake(_ bot: Int) {
    guard bot < bots.count else { return }
    bots[bot].conclusion = nil
    bots[bot].client.timerDeadline = max(bots[bot].restsUntil, bots[bot].client.now)
  }
}

extension DemoTable: LoopClientHandler {
  func timerFired(_ client: LoopClient) { if client.tag < bots.count { act(client.tag) } }

  func received(_ event: ClientEvent, by client: LoopClient) {
    switch event {
    case .joined:
      joinOthers()
      if client === watcher, let state { feed.note("the spectator joins", revision: state.revision.rawValue) }
      wake(client.tag)
    case .changed: addHash(of: client)
    case .diff(let diff):
      addHash(of: client)
      if client === watcher { show(diff) }
      wake(client.tag)
    case .answered(let answered): if client.tag < bots.count { receive(answered, client.tag) }
    case .disconnected(let goodbye, _):
      feed.note("connection lost" + (goodbye.map { ": \($0.reason.rawValue)" } ?? ""), who: name(ofCopy: client.tag))
    case .diverged(let detail): feed.note("copy differs: \(detail)", who: name(ofCopy: client.tag))
    case .ended(let goodbye):
      if goodbye.reason != .leaving { failure = "\(goodbye.reason.rawValue): \(goodbye.detail)" }
    case .drag, .seats: break
    }
  }

  private func show(_ diff: Diff) {
    guard let state else { return }
    latest = diff.touchedItems
    let text = Narration.line(for: diff, at: state)
    let revision = diff.revision.rawValue
    if let author = state.seats.first(where: { $0.session == diff.author }), diff.author != .daemon {
      feed.accepted(text, who: DemoText.clean(author.name), revision: revision)
    } else {
      feed.note(text, revision: revision)
    }
  }

  private func receive(_ answered: Answered, _ bot: Int) {
    let sent = bots[bot].sent.removeValue(forKey: answered.operation.sequence)
    if sent?.isIllegal != true { bots[bot].strategy.received(answered) }
    wake(bot)
    guard let sent, let state = bots[bot].client.replica?.state else { return }
    switch answered.answer {
    case .accepted(let diff):
      let more = diff.beyond(answered.operation.kind)
      let isMore = !more.changes.isEmpty || more.isRebased || more.isRedirected
      feed.describe(diff.revision.rawValue, sent.text + (isMore ? ": \(Narration.line(for: more, at: state))" : ""))
    case .refused(let refusal): feed.refused(sent.text, refusal, who: bots[bot].name)
    case .acceptedBefore, .unchanged, .invited, .unknown: break
    }
  }
}

extension Diff {
  /// Returns the changes that the operation's description does not already mention.
  fileprivate func beyond(_ kind: TableOperation.Kind) -> Diff {
    var moved: Set<ItemID> = []
    for case .moved(let items, _) in changes { moved.formUnion(items) }
    var rest = self
    rest.changes = InlineList(
      changes.filter { change in
        switch change {
        case .moved: if case .reorder = kind { false } else { true }
        case .faced(let items): !items.allSatisfy { moved.contains($0.id) }
        case .inserted, .removed, .status, .enabled, .counted, .variables, .seats: true
        }
      })
    return rest
  }

  /// The items whose position or face the diff changes.
  fileprivate var touchedItems: Set<ItemID> {
    var items: Set<ItemID> = []
    for change in changes {
      switch change {
      case .moved(let moved, _): items.formUnion(moved)
      case .inserted(let new, _), .faced(let new): items.formUnion(new.map(\.id))
      case .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return items
  }
}

extension Conclusion {
  /// The conclusion as a phrase.
  var text: String {
    switch self {
    case .won: "the game is won"
    case .stuck: "stuck: no move makes progress"
    case .over(let status): "over: \(DemoText.clean(status))"
    case .unknownGame: "the bots do not know this game"
    }
  }
}
