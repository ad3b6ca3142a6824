import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWorkload
import Testing

/// Bugs that worlds have found: scripts shortened by the shrinker, each of which failed once.
@Suite struct RegressionTests {
  private func expectNoFailure(
    _ plan: SimulationPlan, _ steps: Step..., sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(Script(plan: plan, steps: steps).failure() == nil, sourceLocation: sourceLocation)
  }

  @Test func `I7: a snapshot waits for a turn whose diff was sent to nobody`() {
    expectNoFailure(
      SimulationPlan(
        seed: 8_350_446_208_548_370_528, tables: ["bag"], clients: [.player(0), .player(0), .player(0), .player(0)],
        limits: [.outbox(bytes: 200), .snapshotParts(items: 4)]),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .turn, .turn, .commit(1), .start(3), .connect(3), .up(3),
      .turn, .down(0), .turn, .down(0), .down(0), .turn, .commit(1), .down(0), .turn, .down(3), .down(0), .turn,
      .down(3), .act(0, .insert(1, to: Gap(0, before: 3))), .up(0), .down(3), .turn, .down(3))
  }

  @Test func `I10: an item that its author moves out of its view is shown without its face`() {
    expectNoFailure(
      SimulationPlan(seed: 4_767_694_997_154_451_958, tables: ["hands"], clients: [.player(0)]),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .commit(1), .down(0), .down(0),
      .act(0, .insert(1, to: Gap(4))))
  }

  @Test func `I2: a prediction that changes nothing is rolled back, too`() {
    expectNoFailure(
      SimulationPlan(seed: 10_262_716_485_055_551_880, tables: ["hands"], clients: [.player(0), .player(0)]),
      .start(1), .start(0), .connect(1), .up(1), .turn, .load, .connect(0), .up(0), .turn, .commit(1), .down(0),
      .down(0), .act(0, .perform("stow", [])), .up(0), .down(1), .down(1), .act(1, .remove([Spot(7, 1)])), .up(1),
      .act(0, .perform("up", [Spot(0, 1)])))
  }

  @Test func `I3: operations sent before a void turn was known are no gap`() {
    expectNoFailure(
      SimulationPlan(
        seed: 17_405_687_883_870_564_846, tables: ["klondike?draw=3", "grid"], clients: [.player(0), .player(1)]),
      .start(0), .connect(0), .start(1), .connect(1), .up(1), .turn, .up(0), .load, .turn, .commit(1), .down(1),
      .down(1), .load, .turn, .act(1, .move([Spot(12, 3)], to: Gap(1, before: 1))), .up(1), .fill, .commit(1),
      .act(1, .move([Spot(12, 1)], to: Gap(3, before: 2))))
  }

  @Test func `I10: an operation that a void turn judged is sent again once`() {
    expectNoFailure(
      SimulationPlan(
        seed: 293_535_215_414_238_163, tables: ["klondike?draw=3"], clients: [.player(0), .player(0)]),
      .start(0), .connect(0), .start(1), .connect(1), .up(1), .up(0), .turn, .load, .turn, .commit(1), .down(0),
      .down(1), .down(1), .act(1, .move([Spot(3, 3)], to: Gap(2))), .down(0), .fill,
      .act(0, .move([Spot(3, 3)], to: Gap(2))), .up(0), .down(1), .down(1), .turn, .commit(1), .turn, .load, .up(1),
      .turn, .down(0), .free, .down(1), .down(0), .up(1), .pass(milliseconds: 3), .up(0), .down(1), .down(1), .turn,
      .commit(1), .down(1), .down(1), .pass(milliseconds: 4))
  }

  @Test func `I1: a client that resumes another seat and loses the welcome reconnects`() {
    expectNoFailure(
      SimulationPlan(
        seed: 8_958_185_393_705_203_035, tables: ["bag"], clients: [.player(0), .player(0)],
        limits: [.grace(seconds: 2), .seatsKept(seconds: 0)]),
      .start(1), .start(0), .connect(0), .cut(0, arriving: 1), .turn, .load, .notice, .pass(milliseconds: 3_000),
      .connect(0), .up(0), .turn, .commit(1), .down(0), .down(0), .pass(milliseconds: 20_000),
      .pass(milliseconds: 20_000), .notice, .pass(milliseconds: 20_000), .connect(1), .up(1), .connect(0),
      .pass(milliseconds: 20_000))
  }

  @Test func `I3: an operation sent again while its author lags is answered`() {
    expectNoFailure(
      SimulationPlan(
        seed: 9_032_977_304_515_928_303, tables: ["kanban?columns=fixed&cards=8", "sorter"],
        clients: [.player(0), .player(1)],
        limits: [.outbox(bytes: 200), .snapshotParts(items: 4), .log(bytes: 1)]),
      .start(1), .connect(1), .up(1), .turn, .load, .turn, .commit(1), .down(1), .down(1), .down(1), .turn, .down(1),
      .turn, .down(1), .act(1, .move([Spot(1, 0)], to: Gap(2, before: 0))), .up(1), .turn, .pass(milliseconds: 1_000),
      .pass(milliseconds: 20_000), .pass(milliseconds: 3), .connect(1), .up(1), .turn, .commit(1), .turn, .turn,
      .commit(1))
  }

  @Test func `I7: a welcome of a void turn does not count as received`() {
    expectNoFailure(
      SimulationPlan(
        seed: 17_808_404_625_699_268_342, tables: ["klondike?draw=3"],
        clients: [.player(0), .player(0), .player(0), .player(0)]),
      .start(1), .start(3), .connect(1), .connect(3), .up(3), .turn, .load, .up(1), .turn, .commit(1), .down(1),
      .pass(milliseconds: 1_000), .pass(milliseconds: 20_000), .pass(milliseconds: 4), .connect(1),
      .pass(milliseconds: 20_000), .turn, .connect(3), .commit(1), .pass(milliseconds: 20_000), .turn, .fill,
      .connect(1), .commit(1), .turn, .pass(milliseconds: 1_000), .load, .pass(milliseconds: 1_000), .free, .up(1),
      .pass(milliseconds: 1_000), .turn, .fill, .commit(1), .turn, .load, .turn, .down(1), .pass(milliseconds: 1_000),
      .free, .pass(milliseconds: 3_000), .pass(milliseconds: 20_000))
  }

  @Test func `I7: a session created while the disk fills is written before its welcome is sent`() {
    expectNoFailure(
      SimulationPlan(
        seed: 5_200_945_574_204_551_058, tables: ["bag"], clients: [.player(0), .player(0)], durability: .relaxed),
      .start(1), .connect(1), .up(1), .turn, .load, .cut(1), .pass(milliseconds: 1_000), .connect(1), .turn, .fill,
      .up(1), .commit(1))
  }

  @Test func `I10: an operation is not requested twice around a snapshot`() {
    expectNoFailure(
      SimulationPlan(
        seed: 4_227_508_431_658_966_037, tables: ["strict"],
        clients: [.player(0), .player(0), .player(0), .player(0), .player(0)], limits: [.operationRate(800, burst: 2)]),
      .start(4), .connect(4), .start(3), .cut(4, arriving: 1), .turn, .start(0), .load, .connect(3), .up(3), .turn,
      .commit(1), .down(3), .connect(0), .down(3), .act(3, .move([Spot(0, 2)], to: Gap(2, before: 1))),
      .act(3, .insert(1, to: Gap(1, before: 3))), .up(0), .act(3, .move([Spot(0, 3)], to: Gap(2, before: 4))), .up(3),
      .act(3, .copy([Spot(0, 0)], to: Gap(0, before: 3))), .up(3), .up(3), .up(3), .turn, .commit(1), .down(0),
      .down(0), .act(0, .remove([Spot(0, 1)])), .down(3), .down(3), .down(3), .ask(3), .up(0), .down(3), .up(3),
      .down(3), .down(3), .down(3), .turn, .pass(milliseconds: 4), .commit(1), .down(3), .down(3), .down(3),
      .pass(milliseconds: 1_000))
  }

  @Test func `I3: an operation that waits to be sent again also waits for a snapshot`() {
    expectNoFailure(
      SimulationPlan(
        seed: 8_010_030_642_176_228_103, tables: ["grid"], clients: [.player(0), .player(0)],
        limits: [.operationRate(800, burst: 2)]),
      .start(1), .connect(1), .up(1), .turn, .load, .turn, .commit(1), .down(1), .down(1),
      .act(1, .move([Spot(11, 2)], to: Gap(5, before: 0))), .act(1, .move([Spot(12, 3)], to: Gap(5, before: 1))),
      .act(1, .move([Spot(12, 1)], to: Gap(7, before: 0))), .act(1, .move([Spot(3, 2)], to: Gap(11, before: 1))),
      .ask(1))
  }

  @Test func `I9: a rewritten operation lands where its author dropped it`() {
    expectNoFailure(
      SimulationPlan(
        seed: 16_615_039_311_681_951_518, tables: ["list?items=9", "grid"], clients: [.player(0), .player(1)],
        limits: [.operationRate(800, burst: 2)]),
      .start(1), .connect(1), .up(1), .turn, .load, .turn, .commit(1), .down(1), .down(1),
      .act(1, .forced(.invalid(.unknownAction, Spot(3, 2), to: Gap(4, before: 0)))),
      .act(1, .forced(.insert(1, to: Gap(3, before: 2)))), .up(1), .up(1), .turn, .commit(1),
      .act(1, .forced(.insert(1, to: Gap(4, before: 3)))), .down(1), .up(1), .turn, .down(1), .commit(1), .down(1),
      .down(1), .act(1, .move([Spot(6, 1)], to: Gap(3, before: 2))))
  }

  @Test func `I9: a rewritten operation uses the ids that the daemon assigned since`() {
    expectNoFailure(
      SimulationPlan(
        seed: 3_908_689_028_131_267_280, tables: ["list?items=9"],
        clients: [.player(0), .player(0), .spectator(0), .player(0)], durability: .relaxed),
      .start(3), .connect(3), .up(3), .turn, .load, .turn, .commit(1), .down(3), .fill, .down(3),
      .act(3, .copy([Spot(0, 6)], to: Gap(0, before: 4))), .up(3),
      .act(3, .move([Spot(0, 8)], to: Gap(0, before: 3))), .turn, .act(3, .remove([Spot(0, 3)])), .commit(1),
      .act(3, .move([Spot(0, 4), Spot(0, 3), Spot(0, 6)], to: Gap(0, before: 2))), .down(3), .down(3),
      .act(3, .move([Spot(0, 4), Spot(0, 5), Spot(0, 5), Spot(0, 3)], to: Gap(0, before: 5))))
  }

  @Test func `I10: a refused operation of another epoch changes nothing in this one`() {
    expectNoFailure(
      SimulationPlan(
        seed: 6_028_964_827_107_051_765, tables: ["sorter"], clients: [.player(0)], durability: .relaxed),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .commit(1), .down(0), .down(0),
      .act(0, .forced(.invalid(.sourceTwice, Spot(0, 4), to: Gap(2)))), .up(0), .cut(0),
      .act(0, .move([Spot(2, 0)], to: Gap(0, before: 4))), .restart)
  }

  @Test func `I10: an operation that depends on a refused host action is refused, too`() {
    expectNoFailure(
      SimulationPlan(seed: 1_394_143_327_653_162_422, tables: ["grid"], clients: [.player(0), .player(0)]),
      .start(1), .connect(1), .up(1), .turn, .start(0), .load, .connect(0), .up(0), .turn, .commit(1), .down(0),
      .down(0), .act(0, .host(.invitePlayers)), .act(0, .forced(.undo(0))))
  }

  @Test func `I3: an operation sent again after a snapshot and before newer operations is answered`() {
    expectNoFailure(
      SimulationPlan(
        seed: 15_537_290_098_244_159_172, tables: ["kanban?columns=fixed&cards=8"],
        clients: [.player(0), .player(0), .player(0), .player(0), .player(0)],
        limits: [.outbox(bytes: 200), .grace(seconds: 2), .seatsKept(seconds: 0), .log(bytes: 1_000)]),
      .start(3), .start(0), .start(4), .start(2), .connect(3), .up(3), .turn, .load, .connect(2),
      .pass(milliseconds: 1_000), .pass(milliseconds: 3_000), .connect(4), .pass(milliseconds: 20_000),
      .pass(milliseconds: 1), .connect(0), .up(0), .turn, .commit(1), .connect(2), .down(0), .down(0),
      .act(0, .host(.invitePlayers)), .connect(4), .pass(milliseconds: 20_000), .pass(milliseconds: 4), .connect(2),
      .connect(3), .pass(milliseconds: 1_000), .connect(4), .pass(milliseconds: 20_000))
  }

  @Test func `I10: pending operations are not sent from a seat that their author has just received`() {
    expectNoFailure(
      SimulationPlan(
        seed: 9_413_618_950_813_639_319, tables: ["hands"],
        clients: [.player(0), .player(0), .player(0), .spectator(0), .spectator(0)]),
      .start(2), .connect(2), .start(1), .connect(1), .start(3), .start(4), .up(2), .connect(4), .connect(3), .turn,
      .up(4), .start(0), .up(3), .connect(0), .load, .turn, .commit(1), .down(2), .cut(0, arriving: 1), .down(2),
      .turn, .down(2), .act(2, .move([Spot(3, 0)], to: Gap(8, before: 8))),
      .act(2, .host(.freeze(CollectionHandle(rawValue: 6)))), .up(2), .up(1), .commit(1), .down(2), .turn, .commit(1),
      .down(1), .act(2, .perform("sweep/1", [])), .cut(2, arriving: 1), .down(1),
      .act(2, .insert(1, to: Gap(2, before: 1))), .pass(milliseconds: 4), .connect(2), .up(2), .turn, .commit(1),
      .act(2, .host(.give(SeatNumber(rawValue: 2), to: SessionID(rawValue: 5)))), .down(2), .down(2), .down(2),
      .down(2), .act(1, .insert(1, to: Gap(1, before: 3))), .up(2), .up(2), .up(2))
  }

  @Test func `I10: no item gets the id of one that a crash lost`() {
    expectNoFailure(
      SimulationPlan(
        seed: 14_205_492_082_101_339_891, tables: ["list?items=9"], clients: [.player(0), .spectator(0)],
        durability: .relaxed),
      .start(1), .start(0), .connect(1), .up(1), .turn, .load, .connect(0), .up(0), .turn, .commit(1), .down(0),
      .down(0), .act(0, .insert(3, to: Gap(0, before: 1))), .up(0), .down(0), .turn,
      .act(0, .insert(1, to: Gap(0, before: 7))), .down(0), .crash, .act(0, .remove([Spot(0, 2)])))
  }

  @Test func `I10: a copy that is undone before it is confirmed does not show again`() {
    expectNoFailure(
      SimulationPlan(seed: 7_050_811_603_489_318_014, tables: ["playlist"], clients: [.player(0)]),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .commit(1), .down(0), .down(0),
      .act(0, .copy([Spot(0, 2)], to: Gap(1))), .act(0, .undo(0)), .up(0), .turn, .commit(1), .down(0))
  }

  @Test func `I10: a copy undone before it is confirmed stays hidden when another operation comes between`() {
    expectNoFailure(
      SimulationPlan(
        seed: 7_050_811_603_489_318_014, tables: ["playlist"], clients: [.player(0), .player(0)]),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .commit(1), .down(0), .down(0), .start(1), .connect(1),
      .up(1), .turn, .commit(1), .down(0), .down(0), .down(1), .down(1), .down(1),
      .act(0, .copy([Spot(0, 2)], to: Gap(1))), .act(0, .undo(0)), .act(1, .copy([Spot(0, 4)], to: Gap(1))), .up(1),
      .turn, .commit(1), .down(0), .up(0), .turn, .commit(1), .down(0))
  }

  @Test func `I7: a kick on an abandoned connection may concern another session`() {
    expectNoFailure(
      SimulationPlan(
        seed: 7_768_111_292_258_624_885, tables: ["rounds", "list?items=9"],
        clients: [.player(0), .player(1), .player(0)]),
      .start(2), .connect(2), .up(2), .turn, .load, .turn, .start(0), .commit(1), .down(2), .down(2),
      .act(2, .host(.kick(SeatNumber(rawValue: 2)))), .down(2), .crash, .down(2), .pass(milliseconds: 2), .connect(2),
      .up(2), .connect(0), .turn, .load, .pass(milliseconds: 20_000), .pass(milliseconds: 2), .connect(0), .up(0),
      .connect(2), .up(2), .turn, .commit(1), .down(0), .down(2), .down(2), .up(2), .turn, .commit(1))
  }

  @Test func `I10: a block out of a private and a public collection leaves the same gaps for every viewer`() {
    expectNoFailure(
      SimulationPlan(
        seed: 12_160_515_496_199_685_184, tables: ["speed", "rummy"], clients: [.player(0), .player(1), .player(1)],
        limits: [.setUp(itemsAtOnce: 0)]),
      .start(1), .start(2), .connect(2), .connect(1), .up(2), .turn, .load, .turn, .make, .up(1), .turn, .commit(1),
      .down(2), .down(2), .down(1), .act(2, .move([Spot(2, 2)], to: Gap(1))), .down(1), .up(2),
      .act(2, .move([Spot(1, 1), Spot(2, 2)], to: Gap(0, before: 2))), .act(2, .perform("pass", [])), .up(2), .up(2),
      .act(1, .forced(.move([Spot(1, 0)], to: Gap(0, before: 3)))))
  }

  @Test func `I1: a value sent under the old epoch may hold under the new one`() {
    expectNoFailure(
      SimulationPlan(
        seed: 5_425_336_588_603_688_526, tables: ["playlist"],
        clients: [.player(0), .player(0), .player(0), .player(0)], limits: [.setUp(itemsAtOnce: 0)]),
      .start(0), .start(3), .connect(0), .start(1), .up(0), .turn, .load, .turn, .connect(3), .connect(1), .up(1),
      .make,
      .turn, .commit(1), .fill, .up(3), .turn, .commit(1), .down(1), .express(1, 3), .down(1), .express(1, 0))
  }

  @Test func `I1: a value ends for one who learns from a snapshot that its seat is free`() {
    expectNoFailure(
      SimulationPlan(
        seed: 13_718_279_834_299_265_992, tables: ["hands"],
        clients: [.player(0), .player(0), .player(0), .spectator(0)],
        limits: [.outbox(bytes: 200), .snapshotParts(items: 4)]),
      .start(2), .connect(2), .start(1), .start(3), .connect(1), .up(2), .connect(3), .turn, .up(1), .load, .up(3),
      .turn, .commit(1), .turn, .down(1), .down(1), .turn, .down(3), .down(2), .down(1), .turn, .turn, .down(1),
      .down(2), .turn, .down(3), .down(1), .down(3), .down(2), .down(1), .down(1), .turn, .down(2), .down(1), .turn,
      .express(1, 3), .down(2), .down(1), .up(1), .down(3), .down(2), .down(2), .turn, .down(2), .down(3), .turn,
      .down(2), .leave(2), .leave(1))
  }

  @Test func `I10: an undo stays where it was predicted when an earlier copy is confirmed`() {
    expectNoFailure(
      SimulationPlan(
        seed: 14_497_069_026_894_163_765, tables: ["keyed"],
        clients: [.player(0), .player(0), .player(0), .player(0), .player(0), .player(0)]),
      .start(5), .connect(5), .start(0), .start(3), .connect(3), .up(3), .turn, .load, .connect(0), .up(0), .turn,
      .commit(1), .down(0), .down(0), .down(0), .down(3), .down(3), .act(3, .copy([Spot(1, 3)], to: Gap(1, before: 0))),
      .up(3), .act(3, .move([Spot(0, 2)], to: Gap(1, before: 2))), .up(3), .turn, .commit(1), .down(0), .down(0),
      .act(0, .move([Spot(1, 5)], to: Gap(1, before: 4))), .act(0, .move([Spot(1, 1)], to: Gap(0, before: 0))),
      .up(5), .up(0), .turn, .act(0, .copy([Spot(1, 4)], to: Gap(1))), .commit(1), .down(5), .down(5), .down(5),
      .act(5, .move([Spot(1, 5)], to: Gap(1, before: 0))), .up(5), .act(0, .move([Spot(0, 1)], to: Gap(1))),
      .act(0, .undo(3)))
  }

  @Test func `I10: an undo stays shown when an earlier insertion is confirmed at a table with secrets`() {
    expectNoFailure(
      SimulationPlan(
        seed: 14_639_358_621_898_023_556, tables: ["kanban?columns=fixed&cards=8", "rounds"],
        clients: [.player(0), .player(1)]),
      .start(1), .connect(1), .up(1), .turn, .load, .turn, .commit(1), .down(1), .down(1),
      .act(1, .remove([Spot(2, 0)])), .act(1, .insert(1, to: Gap(3, before: 0))), .act(1, .undo(1)))
  }

  @Test func `I1: a client whose messages nobody answers keeps its connection`() {
    expectNoFailure(
      SimulationPlan(seed: 15_682_057_289_976_367_116, tables: ["columns"], clients: [.player(0)]),
      .start(0), .connect(0), .up(0), .turn, .load, .turn, .commit(1), .down(0), .down(0), .pass(milliseconds: 1_000),
      .express(0, 3), .express(0, 2), .pass(milliseconds: 20_000), .pass(milliseconds: 3), .connect(0), .up(0), .turn,
      .commit(1), .down(0), .down(0), .pass(milliseconds: 20_000), .pass(milliseconds: 3_000))
  }

  @Test func `I2: nobody receives an epoch that a crash during a storage failure would give to another state`() {
    expectNoFailure(
      SimulationPlan(
        seed: 16_967_304_728_855_077_190, tables: ["columns"], clients: [.player(0), .player(0), .player(0)],
        durability: .relaxed, limits: [.setUp(itemsAtOnce: 3)]),
      .start(1), .start(2), .connect(1), .pass(milliseconds: 20_000), .turn, .load, .turn, .make, .connect(2), .up(2),
      .turn, .commit(1), .down(2), .crash, .fill, .down(2), .pass(milliseconds: 20_000), .connect(1),
      .pass(milliseconds: 20_000), .turn, .load, .turn, .pass(milliseconds: 4), .commit(1), .connect(2), .up(2), .turn,
      .crash)
  }
}
