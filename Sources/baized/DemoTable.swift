import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One table of the demo: its bots, and a spectator whose copy is shown.
final class DemoTable {
  let name: String
  let seed: UInt64
  private(set) var feed = ActivityFeed()
  private(set) var comparison: CopyComparison
  /// The result of the game.
  private(set) var conclusion: Conclusion?
  /// The reason why the table could not be created or joined.
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
    comparison = CopyComparison(copies: options.bots + 1)
    // The other bots join when the table exists.
    joinBot()
  }

  /// The shown state; `nil` before the spectator has joined.
  var state: TableState? { watcher?.replica?.state }

  // MARK: Ending

  /// Stops the bots from submitting further operations.
  func stopPlaying() { isPlaying = false }

  var isSettled: Bool { bots.allSatisfy { $0.client.pendingCount == 0 } }

  func leave() {
    for bot in bots { bot.client.leave() }
    watcher?.leave()
  }

  // MARK: Copies

  /// Compares the copies with the daemon's last hash of its state. (A table type with different views would need one for
  /// each seat.)
  func compare() {
    guard let pong = watcher?.exchangeHash(), pong.viewHash != 0 else { return }
    comparison.note(daemon: pong.viewHash, at: pong.revision.rawValue)
  }

  /// The number of times that a copy diverged and was reloaded: 0 unless there is a bug.
  var divergences: Int { bots.reduce(watcher?.divergences ?? 0) { $0 + $1.client.divergences } }

  func name(ofCopy copy: Int) -> String { copy < bots.count ? bots[copy].name : "the spectator" }

  private func noteHash(_ client: LoopClient) {
    guard var copy = client.replica else { return }
    comparison.note(copy.confirmedHash(), at: copy.confirmedRevision.rawValue, ofCopy: client.tag)
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

  private func act(_ bot: Int, mayBeFollowed: Bool = true) {
    let client = bots[bot].client
    guard isPlaying, conclusion == nil, client.isLive, let replica = client.replica else { return }
    rest(bot)
    if replica.pending.isEmpty, happens(DemoOptions.illegalShare), let kind = bots[bot].illegalOperation(at: replica) {
      return submit(kind, at: replica.state, bot, isIllegal: true)
    }
    switch bots[bot].decide(at: replica) {
    case .submit(let kind, _):
      submit(kind, at: replica.state, bot)
      // Another bot, which has not received this operation, acts at the same moment; often on the same item.
      if mayBeFollowed, bots.count > 1, happens(DemoOptions.contendingShare) {
        let step = 1 + Int(chance.next(below: UInt64(bots.count - 1)))
        act((bot + step) % bots.count, mayBeFollowed: false)
      }
    case .wait: break
    case .done(let conclusion): conclude(conclusion, bot)
    }
  }

  private func happens(_ share: Double) -> Bool { chance.next(below: 1_000) < UInt64(share * 1_000) }

  /// Returns a pause of half an interval to one and a half, so that the bots do not act in step.
  private func rest(_ bot: Int) {
    let beat = 1_000_000_000 / options.rate
    let rest = beat / 2 + chance.next(below: beat + 1)
    bots[bot].restsUntil = Instant(nanoseconds: bots[bot].client.now.nanoseconds + rest)
    bots[bot].client.timerDeadline = bots[bot].restsUntil
  }

  private func submit(_ kind: TableOperation.Kind, at state: TableState, _ bot: Int, isIllegal: Bool = false) {
    let text = Narration.line(for: kind, at: state)
    let submission = bots[bot].client.submit(kind, sendsRefused: isIllegal)
    if let operation = submission?.operation {
      bots[bot].asked[operation.sequence] = DemoBot.Asked(text: text, isIllegal: isIllegal)
    } else if case .refused(let refusal)? = submission?.prediction {
      bots[bot].strategy.received(.refused(refusal), to: kind)
    }
  }

  private func conclude(_ new: Conclusion, _ bot: Int) {
    // An own change without its answer is only a prediction.
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
      if client === watcher, let state { feed.note("the spectator sees", revision: state.revision.rawValue) }
      wake(client.tag)
    case .changed: noteHash(client)
    case .diff(let diff):
      noteHash(client)
      if client === watcher { show(diff) }
      wake(client.tag)
    case .answered(let answered): if client.tag < bots.count { take(answered, client.tag) }
    case .disconnected(let goodbye, _):
      feed.note("connection lost" + (goodbye.map { ": \($0.reason.rawValue)" } ?? ""), who: name(ofCopy: client.tag))
    case .diverged(let why): feed.note("copy differs: \(why)", who: name(ofCopy: client.tag))
    case .ended(let goodbye):
      if goodbye.reason != .leaving { failure = "\(goodbye.reason.rawValue): \(goodbye.detail)" }
    case .drag, .seats: break
    }
  }

  private func show(_ diff: Diff) {
    guard let state else { return }
    latest = diff.items
    let text = Narration.line(for: diff, at: state)
    let revision = diff.revision.rawValue
    if let author = state.seats.first(where: { $0.session == diff.author }), diff.author != .daemon {
      feed.accepted(text, who: author.name.printable(lengthMax: 24), revision: revision)
    } else {
      feed.note(text, revision: revision)
    }
  }

  private func take(_ answered: Answered, _ bot: Int) {
    let asked = bots[bot].asked.removeValue(forKey: answered.operation.sequence)
    if asked?.isIllegal != true { bots[bot].strategy.received(answered) }
    wake(bot)
    guard let asked, let state = bots[bot].client.replica?.state else { return }
    switch answered.answer {
    case .accepted(let diff):
      let more = diff.beyond(answered.operation.kind)
      let isMore = !more.changes.isEmpty || more.isRebased || more.isRedirected
      feed.describe(diff.revision.rawValue, asked.text + (isMore ? ": \(Narration.line(for: more, at: state))" : ""))
    case .refused(let refusal): feed.refused(asked.text, refusal, who: bots[bot].name)
    case .acceptedBefore, .unchanged, .invited, .unknown: break
    }
  }
}

extension Diff {
  /// Returns the consequences of an action, without the changes that its description contains.
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
}

extension Conclusion {
  /// A description for the operator.
  var text: String {
    switch self {
    case .won: "the game is won"
    case .stuck: "stuck: no move leads anywhere"
    case .over(let status): "over: \(status.printable(lengthMax: 24))"
    case .unknownGame: "no bot can play this table type"
    }
  }
}
