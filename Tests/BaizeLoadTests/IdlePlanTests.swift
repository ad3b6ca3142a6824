import BaizeWire
import Testing

@testable import baize_load

/// The tables and roles of an idle crowd.
@Suite struct IdlePlanTests {
  @Test func `there are as many tables as the players need, or as many as requested`() {
    var plan = IdlePlan()
    plan.connections = 10
    #expect(plan.tableCount == 3)
    #expect(Set((0..<10).map { plan.hello($0).table }).count == 3)
    #expect((0..<10).allSatisfy { plan.hello($0).role == .player })
    plan.tables = 2
    let roles = (0..<10).map { plan.hello($0).role }
    #expect(roles == Array(repeating: .player, count: 8) + [.spectator, .spectator])
  }

  @Test func `too few descriptors are reported with the number needed`() {
    var plan = IdlePlan()
    plan.connections = 1_000
    #expect(plan.complaint(descriptors: 1_000 + IdlePlan.descriptorReserve) == nil)
    #expect(
      plan.complaint(descriptors: 999 + IdlePlan.descriptorReserve)?.hasSuffix("--connections 999 would do") == true)
    #expect(plan.complaint(descriptors: 1)?.hasSuffix("--connections 0 would do") == true)
  }
}
