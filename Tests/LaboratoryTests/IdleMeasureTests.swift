import BaizeDriver
import Testing

@testable import baize_lab

/// What a measure of idle connections needs of the system.
@Suite struct IdleMeasureTests {
  @Test func `too few descriptors are reported with the number needed`() throws {
    try Measure.requireDescriptors(for: 1_000, of: 1_512)
    for (granted, would) in [(1_511, 999), (1, 0)] {
      let failure = #expect(throws: RunFailure.self) { try Measure.requireDescriptors(for: 1_000, of: granted) }
      #expect(failure?.description.hasSuffix("--connections \(would) would do") == true)
    }
  }
}
