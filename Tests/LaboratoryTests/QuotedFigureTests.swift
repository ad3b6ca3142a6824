import BaizeCommandLine
import TestSupport
import Testing

@testable import baize_lab

/// The figures of `Tests/figures.md`, against the measures that give them.
@Suite struct QuotedFigureTests {
  @Test func `numbers are read with the spread behind them`() {
    let rows = QuotedRows(
      markdown: """
        | what | | command |
        |---|---|---|
        | one thing | 1.02 times (1.00 … 1.05), 5,509,000 | `.build/release/baize-lab one --runs 3` |
        | another thing | 4 KiB | the same |
        """)
    #expect(rows.numbers(ofRow: "one") == [.init(value: 1.02, least: 1, most: 1.05), .init(value: 5_509_000)])
    #expect(rows.numbers(ofRow: "another")?.map(\.value) == [4])
    #expect(rows.numbers(ofRow: "no") == nil)
  }

  @Test func `a figure has changed when it is outside of what is quoted`() {
    let number = QuotedRows.Number(value: 4, least: 3, most: 5)
    #expect(number.isUnchanged(3, within: 1) && number.isUnchanged(5, within: 1))
    #expect(!number.isUnchanged(5.4, within: 1) && number.isUnchanged(5.4, within: 1.1))
    #expect(!QuotedRows.Number(value: 4.1).isUnchanged(5.4, within: 1.1))
    #expect(!number.isUnchanged(.nan, within: 2), "what was not measured has no figure")
  }

  @Test func `every quoted figure has its row, and a measure with such options`() throws {
    let rows = QuotedRows(markdown: try Repository.text("Tests/figures.md"))
    for quoted in QuotedFigure.all {
      let numbers = try #require(rows.numbers(ofRow: quoted.row), "\(quoted.row)")
      #expect(numbers.indices.contains(quoted.number), "\(quoted.row): \(quoted.number)")
      let words = quoted.command.words
      let measure = try #require(Measure.all.first { $0.word == words[0] }, "\(quoted.command)")
      _ = try CommandLineArguments(words.dropFirst(), for: measure.command)
    }
  }

  @Test func `every row of the figures that names a measure is measured`() throws {
    let measured = QuotedFigure.all.map(\.row)
    for row in QuotedRows(markdown: try Repository.text("Tests/figures.md")).rows
    where row.rest.contains("`.build/release/baize-lab ") {
      #expect(measured.contains { row.title.hasPrefix($0) }, "\(row.title)")
    }
  }
}
