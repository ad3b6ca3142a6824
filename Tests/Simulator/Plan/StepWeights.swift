import BaizeSync
import BaizeTable
import BaizeWorkload

/// The weights of a world's steps: 0 for never. They are not needed to replay a script.
struct StepWeights {
  /// By client: the weights of its frames and of its actions, and the number of its operations.
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
  /// Waiting a few milliseconds, the time of reconnects and retries.
  var pass = 2

  var refuse = 0
  var cut = 0
  var ask = 0
  var express = 0
  var leave = 0
  var crash = 0
  var restart = 0
  var fill = 0
  var impostor = 0
  /// One of so many actions of a host is a host action; of other clients, one of four times as many.
  var host = 0
  /// Waiting for seconds.
  var idle = 0
  /// One link stalls for a while.
  var stall = 0
}

extension SimulationPlan {
  /// Returns the plan of a seed, and its weights.
  ///
  /// - Parameter typeName: The table type of all tables; `nil` to let the seed choose.
  static func make(
    of scenario: Scenario?, seed: UInt64, typeName: String? = nil
  ) -> (plan: SimulationPlan, weights: StepWeights, random: RandomSource) {
    // Hashes the seed, so that neighbouring seeds give unrelated plans.
    var random = RandomSource(seed: SplitMix64.mix(seed &* 0x9E37_79B9_7F4A_7C15 &+ 1))
    let scenario = scenario ?? random.pick(Scenario.allCases)
    let names = typeName.map { [$0] } ?? (scenario == .secret ? SimulatedTypes.secretNames : SimulatedTypes.names)
    let type = random.pick(names)
    var plan = SimulationPlan(seed: random.next(), tables: [type], clients: [])
    // Mostly few clients: more seeds find more than more clients.
    if random.happens(onceIn: 4) {
      for _ in 0...random.below(2) { plan.tables.append(random.pick(names)) }
    }
    plan.addClients(2 + random.below(1 + random.below(5)), &random)
    var weights = StepWeights(plan, &random)
    plan.adapt(to: scenario, &weights, &random)
    return (plan, weights, random)
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

  private mutating func adapt(to scenario: Scenario, _ weights: inout StepWeights, _ random: inout RandomSource) {
    switch scenario {
    case .calm: break
    case .lossy: weights.lose(&random)
    case .hurried: hurry(&weights, &random)
    case .slow: slow(&weights, &random)
    case .crashing: crash(&weights, &random)
    case .full: weights.fill(&random)
    case .idle: idle(&weights, &random)
    case .relaxed:
      durability = .relaxed
      crash(&weights, &random)
      if random.happens(onceIn: 3) { weights.fill(&random) }
    case .secret: hide(&weights, &random)
    case .mixed: mix(&weights, &random)
    }
    if random.happens(onceIn: 3) { limits.append(.journalSnapshots(bytes: random.pick([1, 200, 1_000]))) }
    if random.happens(onceIn: 2) { limits.append(.setUp(itemsAtOnce: random.pick([0, 3]))) }
    if random.happens(onceIn: 4) { limits.append(.log(bytes: random.pick([1, 200, 1_000]))) }
  }

  private mutating func hurry(_ weights: inout StepWeights, _ random: inout RandomSource) {
    limits.append(.operationRate(800, burst: 2))
    limits.append(.pendingOperations(random.pick([2, 5])))
    weights.pass = 6
    weights.cut = random.pick([0, 2])
    weights.ask = 1
  }

  private mutating func slow(_ weights: inout StepWeights, _ random: inout RandomSource) {
    limits.append(.outbox(bytes: 200))
    weights.express = 4
    limits.append(.snapshotParts(items: 4))
    weights.stall = 3
    weights.ask = 1
    weights.cut = random.pick([0, 2])
    weights.down = weights.down.map { _ in random.pick([2, 5, 20]) }
  }

  private mutating func crash(_ weights: inout StepWeights, _ random: inout RandomSource) {
    weights.crash = random.pick([1, 3])
    weights.restart = random.pick([0, 1])
    weights.commit = random.pick([4, 20])
    weights.cut = random.pick([0, 2])
    weights.refuse = 2
    weights.impostor = 1
    if random.happens(onceIn: 3) { limits.append(.pendingOperations(4)) }
  }

  private mutating func idle(_ weights: inout StepWeights, _ random: inout RandomSource) {
    limits.append(.grace(seconds: 2))
    limits.append(.seatsKept(seconds: 4))
    limits.append(.unload(seconds: 1))
    weights.idle = 2
    weights.cut = 6
    weights.refuse = 20
    weights.connect = 10
    weights.notice = 10
    weights.impostor = 1
  }

  private mutating func hide(_ weights: inout StepWeights, _ random: inout RandomSource) {
    weights.ask = 1
    weights.leave = random.pick([0, 1])
    weights.host(onceIn: random.pick([0, 3]))
    if random.happens(onceIn: 2) { weights.lose(&random) }
    if random.happens(onceIn: 3) { crash(&weights, &random) }
    if random.happens(onceIn: 4) { slow(&weights, &random) }
    if random.happens(onceIn: 3) { idle(&weights, &random) }
  }

  private mutating func mix(_ weights: inout StepWeights, _ random: inout RandomSource) {
    weights.lose(&random)
    crash(&weights, &random)
    weights.fill(&random)
    if random.happens(onceIn: 2) { slow(&weights, &random) }
    if random.happens(onceIn: 4) { hurry(&weights, &random) }
    if random.happens(onceIn: 3) { idle(&weights, &random) }
    weights.leave = random.pick([0, 1])
    weights.host(onceIn: random.pick([0, 3]))
    if random.happens(onceIn: 5) { durability = .relaxed }
  }
}

extension StepWeights {
  init(_ plan: SimulationPlan, _ random: inout RandomSource) {
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

  /// Adds host actions. With hosts come kicked clients, who may try their tokens again.
  fileprivate mutating func host(onceIn times: Int) {
    host = times
    if times > 0 { impostor = 1 }
  }

  fileprivate mutating func lose(_ random: inout RandomSource) {
    cut = random.pick([3, 8])
    express = 4
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
