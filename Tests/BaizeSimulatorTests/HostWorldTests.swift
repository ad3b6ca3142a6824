import BaizeTable
import BaizeWorkload
import TestSupport
import Testing

@testable import BaizeSimulator

/// Host actions step by step, in worlds without faults: their invariants are checked, and their effects have occurred.
@Suite struct HostWorldTests {
  private static let second = SeatNumber(rawValue: 2)

  /// Two connected players and a spectator at a table with different views.
  private func run(_ steps: [Step]) throws -> World {
    let plan = SimulationPlan(seed: 3, tables: ["hands"], clients: [.player(0), .player(0), .spectator(0)])
    let all = 0..<plan.clients.count
    let arrival = all.flatMap { number in
      [.start(number), .connect(number), .up(number), .turn, .load, .turn, .commit(1)]
        + Array(repeating: Step.down(number), count: 4)
    }
    let world = World(plan)
    try world.run(arrival + steps)
    return world
  }

  private func arrived(_ client: Int) -> [Step] { [.up(client), .turn, .commit(1)] }

  @Test func `only the host's actions are accepted`() throws {
    let actions: [HostAction] = [
      .freeze(CollectionHandle(rawValue: 10)), .invitePlayers, .kick(Self.second),
      .give(Self.second, to: SessionID(rawValue: 3)),
    ]
    for action in actions {
      let hosted = try run([.act(0, .host(action))]).counts
      #expect(hosted[.refused] == 0 && hosted[.hosted] + hosted[.invited] == 1, "\(action)")
      for other in 1...2 {
        let refused = try run([.act(other, .host(action))]).counts
        #expect(refused[.refused] == 1 && refused[.hosted] + refused[.invited] == 0, "\(action)")
      }
    }
  }

  /// Its operations are settled, and whoever comes back with its credential is another person.
  @Test func `a kicked client has no pending operations`() throws {
    let world = try run([.act(1, .perform("draw/2", [])), .act(0, .host(.kick(Self.second)))] + arrived(0))
    #expect(world.counts[.kicked] == 1 && world.counts[.unknown] == 1 && world.counts[.impostors] > 0)
  }

  @Test func `a client that was kicked while away joins with a new session`() throws {
    let world = try run([.cut(1), .act(0, .host(.kick(Self.second)))] + arrived(0))
    #expect(world.counts[.hosted] == 1 && world.counts[.kicked] == 0)
    try world.run([.connect(1), .up(1), .turn, .commit(1), .down(1)])
    #expect(world.clients[1].session == SessionID(rawValue: 4))
  }

  /// I6: in the end the spectator sees the hand and its former holder does not; the world compares their views.
  @Test func `the view of a transferred seat is sent to its new session only`() throws {
    let world = try run(
      [.act(1, .perform("draw/2", [])), .act(0, .host(.give(Self.second, to: SessionID(rawValue: 3))))] + arrived(0))
    #expect(world.counts[.hosted] == 1 && world.counts[.reseated] == 2)
    // What its former holder had pending is answered.
    #expect(world.counts[.unknown] == 0 && world.counts[.refused] == 1)
  }

  @Test func `nothing is taken from a disabled collection`() throws {
    let stock = CollectionHandle(rawValue: 9)
    let world = try run(
      [.act(0, .host(.freeze(stock)))] + arrived(0) + [.act(1, .forced(.perform("draw/2", [])))] + arrived(1))
    #expect(world.counts[.hosted] == 1 && world.counts[.refused] == 1)
  }
}
