import BaizeSync
import BaizeTable
import BaizeWorkload

/// Chooses the steps of a world at random. It reads the world and changes nothing in it.
struct StepGenerator {
  private let weights: StepWeights
  private var random: RandomSource
  /// By client.
  private var authors: [GeneratedAuthor]
  private var actionsLeft: [Int]
  /// By client: the number of steps for which its link still stalls.
  private var stalled: [Int]
  /// The maximum number of further steps.
  private var stepsLeft: Int
  /// The maximum number of further faults that end connections, so that something happens between them.
  private var faultsLeft: Int
  private var fullFor = 0
  private var candidates: [(element: Choice, weight: Int)] = []

  private enum Choice {
    case step(Step)
    case act(Int)
    case express(Int)
    case cut(Int)
    case commit
    case pass
    case idle
    case stall
    case impostor
  }

  init(_ weights: StepWeights, _ plan: SimulationPlan, random: RandomSource) {
    var random = random
    self.weights = weights
    let generator = Generator(.worlds.hosting(onceIn: weights.host))
    authors = plan.clients.map { _ in GeneratedAuthor(generator, random: random.split()) }
    self.random = random
    actionsLeft = weights.actions
    stalled = Array(repeating: 0, count: plan.clients.count)
    stepsLeft = 100 * plan.clients.count + 50
    faultsLeft = 1 + self.random.below(8)
  }

  /// Returns the next step; `nil` when all clients are done.
  mutating func next(in world: World) -> Step? {
    stepsLeft -= 1
    // When all clients are done, a few more faults may occur.
    if !actionsLeft.contains(where: { $0 > 0 }) { stepsLeft = min(stepsLeft, 40) }
    guard stepsLeft > 0 else { return nil }
    candidates.removeAll(keepingCapacity: true)
    for client in world.clients { consider(client) }
    considerDaemon(world)
    considerFaults(world)
    return candidates.isEmpty ? nil : carryOut(random.choose(by: candidates), world)
  }

  private mutating func add(_ weight: Int, _ choice: Choice) {
    if weight > 0 { candidates.append((choice, weight)) }
  }

  // MARK: Possible steps

  private mutating func consider(_ client: Client) {
    let number = client.number
    guard client.hasStarted else { return add(10, .step(.start(number))) }
    if client.wantsConnection {
      add(weights.connect, .step(.connect(number)))
      add(weights.refuse, .step(.refuse(number)))
    }
    if let link = client.link {
      if !link.up.isEmpty { add(weights.up[number], .step(.up(number))) }
      if stalled[number] > 0 {
        stalled[number] -= 1
      } else if !link.down.isEmpty {
        add(weights.down[number], .step(.down(number)))
      }
      if faultsLeft > 0 {
        add(weights.cut, .cut(number))
        if !link.up.isEmpty { add(weights.cut, .step(.abandon(number))) }
      }
    }
    guard client.machine.replica != nil, !client.hasEnded else { return }
    if actionsLeft[number] > 0 { add(weights.act[number], .act(number)) }
    if client.machine.isLive { add(weights.ask, .step(.ask(number))) }
    add(weights.express, .express(number))
    if faultsLeft > 0, client.machine.isLive { add(weights.leave, .step(.leave(number))) }
  }

  private mutating func considerDaemon(_ world: World) {
    if world.host.wantsTurn { add(weights.turn, .step(.turn)) }
    if !world.host.turns.isEmpty { add(weights.commit, .commit) }
    if world.host.canLoad { add(weights.load, .step(.load)) }
    if world.host.canMake { add(weights.make, .step(.make)) }
    if !world.abandoned.isEmpty { add(weights.notice, .step(.arrive)) }
    if !world.unnoticed.isEmpty { add(weights.notice, .step(.notice)) }
    add(weights.pass, .pass)
    add(weights.idle, .idle)
    add(weights.stall, .stall)
  }

  private mutating func considerFaults(_ world: World) {
    if world.isDiskFull {
      fullFor += 1
      if fullFor > 20 { add(fullFor / 4, .step(.free)) }
    }
    guard faultsLeft > 0, world.hasTables || world.host.canMake else { return }
    add(weights.crash, .step(.crash))
    add(weights.restart, .step(.restart))
    if !world.isDiskFull { add(weights.fill, .step(.fill)) }
    add(weights.impostor, .impostor)
  }

  // MARK: Chosen step

  private mutating func carryOut(_ choice: Choice, _ world: World) -> Step? {
    switch choice {
    case .step(let step):
      note(step)
      return step
    case .act(let number): return act(world.clients[number], world)
    case .express(let number): return .express(number, UInt8(random.below(4)))
    case .cut(let number):
      faultsLeft -= 1
      let inFlight = world.clients[number].link?.up.count ?? 0
      return .cut(number, arriving: random.below(inFlight + 1))
    case .commit: return .commit(1 + random.below(world.host.turns.count))
    case .pass: return .pass(milliseconds: UInt64(1 + random.below(4)))
    case .idle: return .pass(milliseconds: random.pick([1_000, 1_000, 3_000, 20_000]))
    case .stall:
      stalled[random.below(stalled.count)] = 20 + random.below(60)
      return .pass(milliseconds: 1)
    case .impostor:
      faultsLeft -= 1
      return .impostor(random.below(world.clients.count), random.pick([.forged, .forged, .shortened]))
    }
  }

  private mutating func note(_ step: Step) {
    switch step {
    case .abandon, .crash, .restart, .leave: faultsLeft -= 1
    case .fill:
      faultsLeft -= 1
      fullFor = 0
    default: break
    }
  }

  private mutating func act(_ client: Client, _ world: World) -> Step? {
    actionsLeft[client.number] -= 1
    guard let replica = client.machine.replica else { return .pass(milliseconds: 1) }
    let others = world.clients.filter { $0.table == client.table }.compactMap(\.session)
    let next = authors[client.number].next(at: replica.state, by: replica.author.seat, among: others)
    return next?.action.map { .act(client.number, $0) } ?? .pass(milliseconds: 1)
  }
}
