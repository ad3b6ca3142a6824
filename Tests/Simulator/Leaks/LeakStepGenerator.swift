import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// Chooses the steps of a pair at random. It reads the whole first table, hidden cards included, since a hostile client may
/// guess.
struct LeakStepGenerator {
  var random: RandomSource
  let run: LeakRun
  /// By participant.
  private var authors: [GeneratedAuthor]
  private var stepsLeft: Int
  /// The participants that have not joined yet.
  private var arrivals: [Int]
  /// The next steps, before another is chosen.
  var queue: [LeakStep] = []
  private var stalled: Set<Int> = []
  /// Whether the tables got different operations.
  var hasDiffered = false
  /// Whether the watcher fills the table next.
  var fillsNext = false

  init(_ random: RandomSource, at run: LeakRun) {
    var random = random
    authors = run.participants.map { _ in GeneratedAuthor(Generator(.leaks), random: random.split()) }
    self.random = random
    self.run = run
    stepsLeft = 60 + self.random.below(60)
    arrivals = Array(run.participants.indices)
  }

  /// Returns the next step; `nil` at the end.
  mutating func next() -> LeakStep? {
    if !queue.isEmpty { return queue.removeFirst() }
    guard stepsLeft > 0 else { return nil }
    stepsLeft -= 1
    if stepsLeft == 0 { return .turn }
    if let number = arrivals.first {
      arrivals.removeFirst()
      queue = [.turn]
      return .reconnect(number, .nothing)
    }
    return choose()
  }

  private mutating func choose() -> LeakStep {
    if fillsNext, let step = fill() { return step }
    let number = random.below(run.participants.count)
    guard run.participants[number].connection != nil else {
      return random.happens(onceIn: 2) ? .reconnect(number, claim()) : .turn
    }
    switch random.below(40) {
    case 0...8: return .turn
    case 9, 10: return .send(number, .hashRequest)
    case 11: return .send(number, .snapshotRequest(why: "by chance"))
    case 12: return cut(number)
    case 13: return random.happens(onceIn: 4) ? .leave(number) : .turn
    case 14, 15: return stall(number)
    case 16: return pass()
    case 17: return restart()
    case 18, 19: return drag(number)
    case 20: return express(number)
    case 21: return .undo(number, random.below(1 + run.participants[number].shared.count))
    case 22...27: return differ(number) ?? act(number)
    case 28, 29: return host(number)
    default: return act(number)
    }
  }

  private mutating func cut(_ number: Int) -> LeakStep {
    // Mostly short, so that the missed diffs follow.
    if !random.happens(onceIn: 3) { queue = [.turn, .reconnect(number, claim()), .turn] }
    return .cut(number)
  }

  private mutating func claim() -> LeakStep.Claim {
    switch random.below(8) {
    case 0: .nothing
    case 1, 2: .older(by: UInt64(1 + random.below(20)))
    default: .present
    }
  }

  private mutating func stall(_ number: Int) -> LeakStep {
    let isStalled = stalled.remove(number) == nil
    if isStalled { stalled.insert(number) }
    return .stall(number, isStalled)
  }

  /// Waits a short time, or so long that seats are lost.
  private mutating func pass() -> LeakStep {
    queue = [.turn]
    return .pass(seconds: random.happens(onceIn: 2) ? 61 : 2)
  }

  private mutating func restart() -> LeakStep {
    guard run.plan.durability != .memory, random.happens(onceIn: 2) else { return .turn }
    stalled.removeAll()
    queue = [.restart] + run.participants.indices.map { .reconnect($0, .present) } + [.turn]
    return .turn
  }

  // MARK: Hosts

  /// Returns a host action, mostly by the host, which often gives the watcher another seat.
  private mutating func host(_ number: Int) -> LeakStep {
    guard let state = run.state else { return .turn }
    let participants = run.participants
    let host = participants.firstIndex { $0.connection != nil && $0.session != nil && $0.session == state.hostPerson }
    let author = random.happens(onceIn: 5) ? number : host ?? number
    var action = Generator(.leaks).hostAction(at: state, among: participants.compactMap(\.session), &random)
    let watcher = participants[run.plan.watcher].session
    let others = state.seats.filter { $0.person != watcher }
    if let watcher, !others.isEmpty, random.happens(onceIn: 2) {
      action = .give(random.pick(others).number, to: watcher)
    }
    if case .give(let seat, let session) = action { return give(seat, to: session, by: author, state) }
    return .submit(author, action.operation, action.operation)
  }

  /// Begins to give a seat to a participant. The seat's previous player may have had other cards in its hand. A player
  /// with a new seat soon reconnects, and may claim to hold an older state.
  private mutating func give(
    _ seat: SeatNumber, to session: SessionID, by author: Int, _ state: TableState
  ) -> LeakStep {
    let held = state.seats.first { $0.number == seat }?.person
    let holder = run.participants.firstIndex { $0.session != nil && $0.session == held }
    let receiver = run.participants.firstIndex { $0.session == session }
    if let holder, random.happens(onceIn: 2), let hand = hand(of: seat, state) {
      queue = Self.passage(through: hand, state).map {
        .act(holder, .perform($0, []), .perform(action: $0, items: [], nil), lateBy: 0)
      }
    }
    let gift = HostAction.give(seat, to: session).operation
    queue += [.submit(author, gift, gift), .turn]
    for moved in [receiver, holder].compactMap({ $0 }) where random.happens(onceIn: 2) {
      queue += [
        .reconnect(moved, claim()), .turn, .send(moved, .hashRequest), .cut(moved), .turn,
        .reconnect(moved, .older(by: UInt64(1 + random.below(20)))), .turn,
      ]
    }
    return queue.removeFirst()
  }

  /// Returns the actions that deal to a hand, and those that deal from it.
  private static func passage(through hand: CollectionHandle, _ state: TableState) -> [String] {
    let deals = state.type.actions.flatMap { action in
      action.cases.flatMap(\.steps).compactMap {
        step -> (name: String, from: CollectionHandle, to: CollectionHandle)? in
        if case .deal(let from, let to, _) = step { (action.name, from, to) } else { nil }
      }
    }
    return deals.filter { $0.to == hand }.map(\.name) + deals.filter { $0.from == hand }.map(\.name)
  }

  /// Returns a private collection of a seat.
  mutating func hand(of seat: SeatNumber, _ state: TableState) -> CollectionHandle? {
    guard seat != .spectator else { return nil }
    let own = state.handles.filter { handle in
      let rules = state.rules(of: handle)
      return rules.owner == seat && state.type.kinds[rules.kind].isPrivate
    }
    return own.isEmpty ? nil : random.pick(own)
  }

  // MARK: Operations

  private mutating func act(_ number: Int) -> LeakStep {
    guard let state = run.state else { return .turn }
    let seat = run.seat(of: number)
    for attempt in 0..<6 {
      guard let next = authors[number].next(at: state, by: seat), let action = next.action,
        let kind = action.operation(at: state, after: .zero)
      else { continue }
      // Operations rarely name items that their author cannot see.
      guard attempt == 5 || kind.named.allSatisfy({ state.isVisible($0, to: seat) || !state.contains($0) }) else {
        continue
      }
      return .act(number, action, kind, lateBy: next.lateBy)
    }
    return .send(number, .ping(Ping(nonce: 7, wantsHash: false)))
  }

  private mutating func drag(_ number: Int) -> LeakStep {
    guard let state = run.state else { return .turn }
    let items = state.handles.flatMap(state.itemIDs)
    guard !items.isEmpty else { return .turn }
    let handle = random.pick(state.handles)
    let anchors = state.itemIDs(in: handle)
    let over: Destination =
      anchors.isEmpty || random.happens(onceIn: 3) ? .end(of: handle) : .before(random.pick(anchors), in: handle)
    let phase = random.pick([Drag.Phase.began, .began, .moved, .moved, .ended, .cancelled])
    let dragged = ItemList((0...random.below(2)).map { _ in random.pick(items) })
    return .send(number, .drag(Drag(phase: phase, items: dragged, over: over)))
  }

  private mutating func express(_ number: Int) -> LeakStep {
    if random.happens(onceIn: 2) { return .send(number, .chat(Chat(text: "\(random.below(4))"))) }
    return .send(number, .presence(Presence(value: Array(repeating: 1, count: random.below(4)))))
  }
}

extension ClientMessage {
  fileprivate static let hashRequest = ClientMessage.ping(Ping(nonce: 7, wantsHash: true))
}

extension TableOperation.Kind {
  /// The items that it names as sources.
  fileprivate var named: Set<ItemID> {
    TableOperation(sequence: .zero, base: .zero, epoch: Epoch(rawValue: 0), kind: self).items
  }
}
