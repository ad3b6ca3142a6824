import BaizeBot
import BaizeTable
import Testing

/// How bots come to a table, and how long they think there.
@Suite struct TableLinkTests {
  @Test func `a link names the table and the invite`() {
    let link = TableLink("http://127.0.0.1:7780/#table=hearts-b2c3&invite=a%2Bb+c%C3%A9&name=x")
    #expect(link?.table == "hearts-b2c3" && link?.invite == "a+b cé")
    #expect(TableLink("https://play.example/games/#name=Ada&table=t&table=u&watch")?.table == "t")
    #expect(TableLink("#table=t")?.invite == "")
  }

  @Test(arguments: [
    "", "hearts", "http://127.0.0.1:7780/", "http://127.0.0.1/#invite=a", "#table=", "#table=%", "#table=%4",
    "#table=%+4",
    "#table=%ff", "#table=%zz",
  ])
  func `another text is no link`(text: String) { #expect(TableLink(text) == nil) }

  @Test func `times to think differ, stay within their bounds and are repeated by a seed`() {
    func times(_ seed: UInt64) -> [UInt64] {
      var random = RandomSource(seed: seed)
      return (0..<1_000).map { _ in ThinkTime.milliseconds(random: &random) }
    }
    let sorted = times(1).sorted()
    #expect(sorted.allSatisfy(ThinkTime.milliseconds.contains))
    #expect(1_500...2_300 ~= sorted[500] && sorted[950] > 3_000 && Set(sorted).count > 500)
    #expect(times(1) == times(1) && times(1) != times(2))
  }
}
