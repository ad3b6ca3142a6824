import BaizeHarness
import BaizeWire
import Testing

@testable import baize_load

/// The tables and roles of an idle crowd.
@Suite struct IdleMeasureTests {
  @Test func `there are as many tables as the players need, or as many as requested`() {
    let enough = IdleMeasure(connections: 10, tables: nil, tableType: "grid")
    #expect(enough.tables == 3 && Set((0..<10).map { enough.hello($0).table }).count == 3)
    #expect((0..<10).allSatisfy { enough.hello($0).role == .player })
    let few = IdleMeasure(connections: 10, tables: 2, tableType: "grid")
    #expect((0..<10).map { few.hello($0).role } == Array(repeating: .player, count: 8) + [.spectator, .spectator])
  }

  @Test func `too few descriptors are reported with the number needed`() throws {
    let idle = IdleMeasure(connections: 1_000, tables: nil, tableType: "grid")
    try idle.check(descriptors: 1_000 + IdleMeasure.descriptorReserve)
    for (missing, would) in [(1, 999), (1_511, 0)] {
      let failure = #expect(throws: RunFailure.self) {
        try idle.check(descriptors: 1_000 + IdleMeasure.descriptorReserve - missing)
      }
      #expect(failure?.description.hasSuffix("--connections \(would) would do") == true)
    }
  }
}
