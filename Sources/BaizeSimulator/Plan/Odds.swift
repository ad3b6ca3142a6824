import BaizeSync
import BaizeTable

/// How likely things are in a world, as weights: 0 for never. Not needed to run a script again.
struct Odds {
  /// By client: how fast its frames travel, how often it acts, and how many operations it has to give.
  var up: [Int] = []
  var down: [Int] = []
  var act: [Int] = []
  var actions: [Int] = []
  var turn = 40
  var commit = 20
  var load = 20
  var make = 5
  var connect = 30
  var notice = 4
  /// Waiting a few milliseconds, as those do who come back or send again.
  var pass = 2

  var refuse = 0
  var cut = 0
  var ask = 0
  var leave = 0
  var crash = 0
  var restart = 0
  var fill = 0
  var impostor = 0
  /// A host does in so many of its deeds what only a host may do; others try in a quarter as many.
  var host = 0
  /// Waiting for seconds.
  var idle = 0
  /// One link stands still for a while.
  var stall = 0
}

extension Plan {
  /// The plan of a seed, and how likely things are in it.
  static func make(of kind: Kind?, seed: UInt64) -> (plan: Plan, odds: Odds, random: RandomSource) {
    // Neighbouring seeds have nothing in common.
    var random = RandomSource(seed: SplitMix64.mix(seed &* 0x9E37_79B9_7F4A_7C15 &+ 1))
    let kind = kind ?? random.pick(Kind.allCases)
    let names = kind == .secret ? SimulatedTypes.secretNames : SimulatedTypes.names
    let type = random.pick(names)
    var plan = Plan(seed: random.next(), tables: [type], clients: [])
    // Few clients mostly: more seeds say more than more clients.
    if random.happens(onceIn: 4) {
      for _ in 0...random.below(2) { plan.tables.append(random.pick(names)) }
    }
    plan.addClients(2 + random.below(1 + random.below(5)), &random)
    var odds = Odds(plan, &random)
    plan.bend(to: kind, &odds, &random)
    return (plan, odds, random)
  }

  private mutating func addClients(_ count: Int, _ random: inout RandomSource) {
    for number in 0..<count {
      let table = number < tables.count ? number : random.below(tables.count)
      let players = clients.filter { $0 == .player(table) }.count
      let seats = SimulatedTypes.type(named: tables[table])?.seatsMax ?? 1
      let watches = players >= seats || (players > 0 && random.happens(onceIn: 8))
      clients.append(watches ? .spectator(table) : .player(table))
    }
  }

  private mutating func bend(to kind: Kind, _ odds: inout Odds, _ random: inout RandomSource) {
    switch kind {
    case .calm: break
    case .lossy: odds.lose(&random)
    case .hurried: hurry(&odds, &random)
    case .slow: slow(&odds, &random)
    case .crashing: crash(&odds, &random)
    case .full: odds.fill(&random)
    case .idle: idle(&odds, &random)
    case .relaxed:
      durability = .relaxed
      crash(&odds, &random)
      if random.happens(onceIn: 3) { odds.fill(&random) }
    case .secret: hide(&odds, &random)
    case .mixed: mix(&odds, &random)
    }
    if random.happens(onceIn: 3) { limits.append(.journalSnapshots(bytes: random.pick([1, 200, 1_000]))) }
    if random.happens(onceIn: 2) { limits.append(.setUp(itemsAtOnce: random.pick([0, 3]))) }
    if random.happens(onceIn: 4) { limits.append(.log(bytes: random.pick([1, 200, 1_000]))) }
  }

  private mutating func hurry(_ odds: inout Odds, _ random: inout RandomSource) {
    limits.append(.operationRate(800, burst: 2))
    limits.append(.pendingOperations(random.pick([2, 5])))
    odds.pass = 6
    odds.cut = random.pick([0, 2])
    odds.ask = 1
  }

  private mutating func slow(_ odds: inout Odds, _ random: inout RandomSource) {
    limits.append(.outbox(bytes: 200))
    limits.append(.snapshotParts(items: 4))
    odds.stall = 3
    odds.ask = 1
    odds.cut = random.pick([0, 2])
    odds.down = odds.down.map { _ in random.pick([2, 5, 20]) }
  }

  private mutating func crash(_ odds: inout Odds, _ random: inout RandomSource) {
    odds.crash = random.pick([1, 3])
    odds.restart = random.pick([0, 1])
    odds.commit = random.pick([4, 20])
    odds.cut = random.pick([0, 2])
    odds.refuse = 2
    odds.impostor = 1
    if random.happens(onceIn: 3) { limits.append(.pendingOperations(4)) }
  }

  private mutating func idle(_ odds: inout Odds, _ random: inout RandomSource) {
    limits.append(.grace(seconds: 2))
    limits.append(.unload(seconds: 1))
    odds.idle = 2
    odds.cut = 6
    odds.refuse = 20
    odds.connect = 10
    odds.notice = 10
    odds.impostor = 1
  }

  private mutating func hide(_ odds: inout Odds, _ random: inout RandomSource) {
    odds.ask = 1
    odds.leave = random.pick([0, 1])
    odds.host(onceIn: random.pick([0, 3]))
    if random.happens(onceIn: 2) { odds.lose(&random) }
    if random.happens(onceIn: 3) { crash(&odds, &random) }
    if random.happens(onceIn: 4) { slow(&odds, &random) }
    if random.happens(onceIn: 3) { idle(&odds, &random) }
  }

  private mutating func mix(_ odds: inout Odds, _ random: inout RandomSource) {
    odds.lose(&random)
    crash(&odds, &random)
    odds.fill(&random)
    if random.happens(onceIn: 2) { slow(&odds, &random) }
    if random.happens(onceIn: 4) { hurry(&odds, &random) }
    if random.happens(onceIn: 3) { idle(&odds, &random) }
    odds.leave = random.pick([0, 1])
    odds.host(onceIn: random.pick([0, 3]))
    if random.happens(onceIn: 5) { durability = .relaxed }
  }
}

extension Odds {
  init(_ plan: Plan, _ random: inout RandomSource) {
    for _ in plan.clients {
      up.append(random.pick([4, 15, 60]))
      down.append(random.pick([4, 15, 60]))
      act.append(random.pick([2, 6, 20]))
      actions.append(1 + random.below(1 + random.below(14)))
    }
    commit = random.pick([4, 20, 60])
    turn = random.pick([10, 40])
    host(onceIn: random.pick([0, 0, 4]))
  }

  /// Whoever was kicked may try its token again, too.
  fileprivate mutating func host(onceIn times: Int) {
    host = times
    if times > 0 { impostor = 1 }
  }

  fileprivate mutating func lose(_ random: inout RandomSource) {
    cut = random.pick([3, 8])
    refuse = 5
    ask = 1
    stall = random.pick([0, 1])
    impostor = 1
  }

  fileprivate mutating func fill(_ random: inout RandomSource) {
    fill = random.pick([1, 3])
    idle = 2
    crash = random.pick([0, 1])
  }
}
