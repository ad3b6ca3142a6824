import BaizeBot
import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// One table of the demo: its bots, of which a person may replace the first, and a spectator who reports.
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
  private let addresses: DemoAddresses
  private let host: ClientHost
  /// A person's cursor at the first bot's seat; `nil` while the bot plays.
  private(set) var cursor: TableCursor?
  private var personsLast: Replica.Submission?
  private var copies = [DemoCopy(), DemoCopy()]
  private var bots: [DemoBot] = []
  private var watcher: LoopClient?
  private var chance: RandomSource
  /// The number of moves of the first participant.
  private var moveCount = 0
  private var isPlaying = true

  init(_ name: String, seed: UInt64, _ options: DemoOptions, at addresses: DemoAddresses, on host: ClientHost) {
    self.name = name
    self.seed = seed
    self.options = options
    self.addresses = addresses
    self.host = host
    chance = RandomSource(seed: seed)
    comparison = CopyComparison(copies: options.bots + 1)
    // The other bots join when the table exists.
    joinBot()
  }

  /// The shown state; `nil` before the spectator has joined.
  var state: TableState? { watcher?.replica?.state }

  // MARK: The copies that are shown

  /// A copy of the table as the display shows it.
  struct Shown {
    let name: String
    let replica: Replica
    let caption: StyledText
    let marks: [ItemID: ItemMark]
    /// The cursor of the person who plays at this copy.
    let cursor: TableCursor?
  }

  /// The copies of the first two participants, or of the only one and of the spectator.
  var shown: [Shown] {
    let now = Instant(nanoseconds: MonotonicClock.now())
    return (0..<2).compactMap { number in
      let client = number < bots.count ? bots[number].client : watcher
      guard let client, let replica = client.replica else { return nil }
      return Shown(
        name: name(ofCopy: number), replica: replica, caption: copies[number].caption,
        marks: copies[number].marks(at: replica, latest: latest, now: now), cursor: number == 0 ? cursor : nil)
    }
  }

  // MARK: A person

  /// Handles a key of the person at the first copy. The first one takes over the bot's seat, and `b` gives it back.
  func press(_ key: TerminalKey) {
    let client = bots[0].client
    guard let replica = client.replica, isPlaying else { return }
    if key == .character("b") {
      cursor = nil
      return wake(0)
    }
    var cursor = cursor ?? TableCursor()
    let request = cursor.press(key, at: replica)
    self.cursor = cursor
    switch request {
    case .submit(let kind):
      guard conclusion == nil, client.isLive else { return }
      personsLast = submit(kind, at: replica.state, 0)
    case .undo: if let personsLast { note(client.undo(personsLast), "undo", 0) }
    case .refused(let refusal): copies[0].locallyRefused(refusal)
    case nil: break
    }
  }

  // MARK: Ending

  /// Stops the bots from submitting further operations.
  func stopPlaying() { isPlaying = false }

  var isSettled: Bool { bots.allSatisfy { $0.client.pendingCount == 0 } }

  func leave() { for client in clients { client.leave() } }

  // MARK: Copies

  /// Compares each copy with the daemon's last hash of its view.
  func compare() {
    for client in clients {
      guard let pong = client.exchangeHash(), pong.viewHash != 0 else { continue }
      comparison.note(daemon: pong.viewHash, at: pong.revision.rawValue, ofCopy: client.tag)
    }
  }

  /// The bots' clients, then the spectator's.
  private var clients: [LoopClient] { bots.map(\.client) + (watcher.map { [$0] } ?? []) }

  /// The number of times that a copy diverged and was reloaded: 0 unless there is a bug.
  var divergences: Int { clients.reduce(0) { $0 + $1.divergences } }

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
    let address = bots.isEmpty ? addresses.far : addresses.daemon
    let client = host.join(.tcp(address), configuration, tag: bots.count, handler: self)
    var random = RandomStrategy()
    // Events that concern one item are easier to follow.
    if options.tableType == DemoBoard.name { random.itemsMax = 1 }
    let plays: any Strategy = options.tableType.hasPrefix("klondike") ? GreedyStrategy() : random
    bots.append(DemoBot(name: configuration.name, client: client, strategy: plays, random: chance.split()))
  }

  private func joinOthers() {
    guard watcher == nil else { return }
    while bots.count < options.bots { joinBot() }
    var configuration = ClientConfiguration(table: name, name: "watcher", role: .spectator)
    configuration.reportsChanges = false
    watcher = host.join(.tcp(addresses.daemon), configuration, tag: bots.count, handler: self)
  }

  // MARK: Playing

  private func act(_ bot: Int, mayBeFollowed: Bool = true) {
    let client = bots[bot].client
    guard isPlaying, conclusion == nil, client.isLive, let replica = client.replica else { return }
    rest(bot)
    // Before the answer to one move is seen, another would confuse.
    guard bot > 0 || cursor == nil && (options.delayMilliseconds == 0 || replica.pending.isEmpty) else { return }
    if replica.pending.isEmpty, happens(DemoOptions.illegalShare), let kind = bots[bot].illegalOperation(at: replica) {
      submit(kind, at: replica.state, bot, isIllegal: true)
      return
    }
    switch decision(of: bot, at: replica) {
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

  private func decision(of bot: Int, at replica: Replica) -> Decision {
    var decision = bots[bot].decide(at: replica)
    guard bot == 0, nextCrossing == .ofAnchor, bots[0].strategy is RandomStrategy else { return decision }
    // Of random moves, one that another can cross in this way.
    for _ in 0..<Self.attemptsMax {
      if case .submit(let kind, _) = decision, kind.singleAnchor != nil { break }
      decision = bots[bot].decide(at: replica)
    }
    return decision
  }

  private static let attemptsMax = 32

  private func happens(_ share: Double) -> Bool { chance.next(below: 1_000) < UInt64(share * 1_000) }

  /// Returns a pause of half an interval to one and a half, so that the bots do not act in step.
  private func rest(_ bot: Int) {
    let beat = 1_000_000_000 / options.rate
    let rest = beat / 2 + chance.next(below: beat + 1)
    bots[bot].restsUntil = Instant(nanoseconds: bots[bot].client.now.nanoseconds + rest)
    bots[bot].client.timerDeadline = bots[bot].restsUntil
  }

  @discardableResult
  private func submit(
    _ kind: TableOperation.Kind, at state: TableState, _ bot: Int, isIllegal: Bool = false
  ) -> Replica.Submission? {
    let text = Narration.line(for: kind, at: state)
    let submission = bots[bot].client.submit(kind, sendsRefused: isIllegal)
    note(submission, text, bot, isIllegal: isIllegal)
    if submission?.operation == nil, case .refused(let refusal)? = submission?.prediction {
      bots[bot].strategy.received(.refused(refusal), to: kind)
    } else if bot == 0, !isIllegal {
      cross(kind)
      moveCount += 1
    }
    return submission
  }

  private func note(_ submission: Replica.Submission?, _ text: String, _ bot: Int, isIllegal: Bool = false) {
    if let operation = submission?.operation {
      bots[bot].asked[operation.sequence] = DemoBot.Asked(text: text, isIllegal: isIllegal)
      if bot < copies.count { copies[bot].submitted(text, isIllegal: isIllegal) }
    } else if case .refused(let refusal)? = submission?.prediction, bot < copies.count {
      copies[bot].locallyRefused(refusal)
    }
  }

  /// The way in which the second bot, which is nearer to the daemon, crosses a move of the first participant.
  private enum Crossing {
    case none
    /// It moves the same item elsewhere, so that the daemon refuses the other's move.
    case ofItem
    /// It takes away the item that the other's lands before, so that the daemon rebases the other's move.
    case ofAnchor
  }

  private var nextCrossing: Crossing {
    switch moveCount % 4 {
    case 1: .ofItem
    case 3: .ofAnchor
    default: .none
    }
  }

  private func cross(_ kind: TableOperation.Kind) {
    guard case .reorder(let difference, _) = kind, difference.sources.count == 1, nextCrossing != .none,
      bots.count > 1, bots[1].client.isLive, let replica = bots[1].client.replica
    else { return }
    let item = (nextCrossing == .ofAnchor ? kind.singleAnchor : nil) ?? difference.sources[0]
    let state = replica.state
    guard let origin = state.collection(of: item) else { return }
    let targets = state.dropConfigurations(for: [item], by: replica.author.seat).filter {
      $0.configuration.operation == .move && $0.collection != origin
    }.map(\.collection)
    let others = targets.filter { $0 != difference.destination.collection }
    guard let target = others.first ?? targets.first else { return }
    rest(1)
    submit(.move([item], to: .end(of: target)), at: state, 1)
  }

  private func conclude(_ new: Conclusion, _ bot: Int) {
    // An own change without its answer is only a prediction.
    guard bots[bot].client.pendingCount == 0 else { return }
    bots[bot].conclusion = new
    let revision = bots[bot].client.replica?.confirmedRevision
    let isUnanimous =
      bots.count == options.bots
      && bots.dropFirst(cursor == nil ? 0 : 1).allSatisfy {
        $0.conclusion != nil && $0.client.replica?.confirmedRevision == revision
      }
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
    case .drag, .seats, .presence, .chat, .countdown, .watching: break
    }
  }

  private func show(_ diff: Diff) {
    guard let state else { return }
    latest = diff.items
    let text = Narration.line(for: diff, at: state)
    let revision = diff.revision.rawValue
    if let author = state.seats.first(where: { $0.person == diff.author }), diff.author != .daemon {
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
    if bot < copies.count { copies[bot].answered(answered, asked.text, at: bots[bot].client.now) }
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

extension TableOperation.Kind {
  /// The item before which a single item is dropped.
  fileprivate var singleAnchor: ItemID? {
    guard case .reorder(let difference, _) = self, difference.sources.count == 1,
      case .before(let anchor) = difference.destination.position, !difference.sources.contains(anchor)
    else { return nil }
    return anchor
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

/// The addresses of the demo's daemon.
struct DemoAddresses: Sendable {
  let daemon: SocketAddress
  /// The same daemon behind a slow network, for the first participant.
  var far: SocketAddress
}
