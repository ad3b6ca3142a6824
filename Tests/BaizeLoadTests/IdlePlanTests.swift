import BaizeWire
import Testing

@testable import baize_load

/// Who sits where in an idle crowd, and how its memory is read.
@Suite struct IdlePlanTests {
  @Test func `there are as many tables as players need, or as many as are asked for`() {
    var plan = IdlePlan()
    plan.connections = 10
    #expect(plan.tableCount == 3)
    #expect(Set((0..<10).map { plan.hello($0).table }).count == 3)
    #expect((0..<10).allSatisfy { plan.hello($0).role == .player })
    plan.tables = 2
    let roles = (0..<10).map { plan.hello($0).role }
    #expect(roles == Array(repeating: .player, count: 8) + [.spectator, .spectator])
  }

  @Test func `too few descriptors are said, with how many would do`() {
    var plan = IdlePlan()
    plan.connections = 1_000
    #expect(plan.complaint(descriptors: 1_000 + IdlePlan.descriptorReserve) == nil)
    #expect(
      plan.complaint(descriptors: 999 + IdlePlan.descriptorReserve)?.hasSuffix("--connections 999 would do") == true)
    #expect(plan.complaint(descriptors: 1)?.hasSuffix("--connections 0 would do") == true)
  }

  @Test func `resident memory is read in kibibytes`() {
    let status = "Name:\tbaized\nVmHWM:\t   20000 kB\nVmRSS:\t   17256 kB\nThreads:\t4\n"
    #expect(ProcessMemory.bytes(.resident, inStatus: status) == 17_256 << 10)
    #expect(ProcessMemory.bytes(.peakResident, inStatus: status) == 20_000 << 10)
    #expect(ProcessMemory.bytes(.resident, inStatus: "Name:\tkthreadd\n") == nil)
    #expect(ProcessMemory.bytes(.resident, inStatus: "VmRSS:\n") == nil)
  }
}
