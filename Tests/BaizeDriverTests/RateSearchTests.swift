import Testing

@testable import BaizeDriver

/// The search for a rate, on daemons that are functions.
@Suite struct RateSearchTests {
  @Test(arguments: [1, 99, 100, 101, 777, 1_600, 40_000, 1_000_000, 5_000_000])
  func `the search finds the highest rate that holds`(highest: Int) throws {
    let search = RateSearch(100...1_000_000) { rate, _ in rate <= highest ? .held : .missed }
    guard highest >= 100 else {
      #expect(search.confirmed == nil && search.probes.count == 1)
      return
    }
    let found = try #require(search.confirmed)
    let most = min(highest, 1_000_000)
    #expect(found <= most && Double(found) >= Double(most) * 0.88, "\(search.probes)")
    #expect(search.probes.last == RateSearch.Probe(rate: found, length: 3, outcome: .held))
    #expect(search.probes.count < 24 && !search.isLimitedByGenerator)
  }

  @Test func `a rate that does not hold for long gives way to a lower one`() throws {
    let search = RateSearch(100...1_000_000) { rate, length in rate <= (length > 1 ? 500 : 1_000) ? .held : .missed }
    let found = try #require(search.confirmed)
    #expect((440...500).contains(found), "\(search.probes)")
  }

  @Test func `a generator that is late bounds the search`() {
    let search = RateSearch(100...1_000_000) { rate, _ in rate <= 3_000 ? .held : .late }
    #expect(search.isLimitedByGenerator && search.confirmed.map { (2_700...3_000).contains($0) } == true)
  }
}
