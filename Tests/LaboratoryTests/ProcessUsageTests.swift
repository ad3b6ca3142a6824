import BaizeDriver
import Testing

@Suite struct ProcessUsageTests {
  @Test func `resident memory is read in kibibytes`() {
    let status = "Name:\tbaized\nVmHWM:\t   20000 kB\nVmRSS:\t   17256 kB\nThreads:\t4\n"
    #expect(ProcessUsage.bytes("VmRSS", inStatus: status) == 17_256 << 10)
    #expect(ProcessUsage.bytes("VmHWM", inStatus: status) == 20_000 << 10)
    #expect(ProcessUsage.bytes("VmRSS", inStatus: "Name:\tkthreadd\n") == nil)
    #expect(ProcessUsage.bytes("VmRSS", inStatus: "VmRSS:\n") == nil)
  }
}
