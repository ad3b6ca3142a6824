import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWorkload
import TestSupport
import Testing

/// A world is determined by its plan and its steps: it can be repeated from the seed or from the script.
@Suite(.dedicatedThreads) struct WorldScriptTests {
  @Test(arguments: Scenario.allCases)
  func `the same seed gives the same world exactly`(scenario: Scenario) throws {
    let worlds = (0..<2).map { _ in World(scenario, seed: 7) }
    for world in worlds {
      world.traces = true
      try world.run()
    }
    #expect(worlds[0].traceLines == worlds[1].traceLines && worlds[0].counts == worlds[1].counts)
    #expect(worlds[0].traceLines.count > 50)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `a script repeats the world it was taken from`(seed: UInt64) throws {
    let world = World(.mixed, seed: seed)
    world.traces = true
    try world.run()
    let again = World(world.script.plan)
    again.traces = true
    try again.run(world.script.steps)
    #expect(again.traceLines == world.traceLines)
  }

  /// The hello on the first connection creates the table; the one on the second waits behind it, and not in front of it.
  @Test func `I3: who connects again while the table is made keeps the later connection`() {
    let script = Script(
      plan: SimulationPlan(
        seed: 16_558_748_786_749_354_508, tables: ["speed"], clients: [.spectator(0)], limits: [.setUp(itemsAtOnce: 0)]),
      steps: [
        .start(0), .connect(0), .cut(0, arriving: 1), .pass(milliseconds: 1), .connect(0), .up(0), .turn, .load, .turn,
        .make,
      ])
    #expect(script.failure() == nil)
  }

  @Test func `impossible steps do nothing`() {
    let script = Script(
      plan: SimulationPlan(seed: 1, tables: ["grid"], clients: [.player(0)]),
      steps: [
        .act(0, .remove([Spot(-1, .max)])), .up(0), .down(7), .cut(-1), .commit(-3), .commit(9), .load, .make, .notice,
        .free,
        .impostor(0, .forged), .start(0), .start(0), .connect(0), .connect(0), .refuse(0), .leave(0),
        .pass(milliseconds: .max),
        .crash, .restart, .fill, .restart, .turn, .act(0, .insert(-1, to: Gap(.min, before: .min))),
      ])
    #expect(script.failure() == nil)
  }

  @Test func `a script prints as it parses`() {
    let script = Script(
      plan: SimulationPlan(
        seed: 5, tables: ["list?items=9"], clients: [.player(0), .spectator(0)], durability: .relaxed,
        limits: [.outbox(bytes: 200), .operationRate(800, burst: 2), .setUp(itemsAtOnce: 3)], frameFault: .dropDiff),
      steps: [
        .start(0), .act(1, .forced(.move([Spot(0, 2), Spot(0, 1)], to: Gap(0, before: 3)))), .cut(0, arriving: 2),
        .cut(1), .load, .make,
        .act(0, .perform("draw", [])), .act(0, .invalid(.noSources, Spot(0, 0), to: Gap(0))),
        .act(0, .host(.give(SeatNumber(rawValue: 2), to: SessionID(rawValue: 3)))),
        .act(1, .host(.freeze(CollectionHandle(rawValue: 1)))), .pass(milliseconds: 3),
      ])
    #expect(
      script.source == """
        let script = Script(
          plan: SimulationPlan(
            seed: 5,
            tables: ["list?items=9"],
            clients: [.player(0), .spectator(0)],
            durability: .relaxed,
            limits: [.outbox(bytes: 200), .operationRate(800, burst: 2), .setUp(itemsAtOnce: 3)],
            frameFault: .dropDiff),
          steps: [
            .start(0),
            .act(1, .forced(.move([Spot(0, 2), Spot(0, 1)], to: Gap(0, before: 3)))),
            .cut(0, arriving: 2),
            .cut(1),
            .load,
            .make,
            .act(0, .perform("draw", [])),
            .act(0, .invalid(.noSources, Spot(0, 0), to: Gap(0))),
            .act(0, .host(.give(SeatNumber(rawValue: 2), to: SessionID(rawValue: 3)))),
            .act(1, .host(.freeze(CollectionHandle(rawValue: 1)))),
            .pass(milliseconds: 3),
          ])
        #expect(script.failure() == nil)
        """)
  }
}
