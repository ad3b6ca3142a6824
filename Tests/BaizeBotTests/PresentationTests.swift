import BaizeBot
import Testing

/// The comparison and the texts of the demo.
@Suite struct PresentationTests {
  /// I1.
  @Test func `copies are compared at the daemon's revision in either order`() {
    var comparison = CopyComparison(copies: 2)
    comparison.note(70, at: 7, ofCopy: 0)
    comparison.note(80, at: 8, ofCopy: 0)
    comparison.note(daemon: 70, at: 7, ofCopy: 0)
    #expect(comparison.revision == 0 && comparison.equalCount == 1)
    comparison.note(daemon: 70, at: 7, ofCopy: 1)
    comparison.note(70, at: 7, ofCopy: 1)
    #expect(comparison.revision == 7 && comparison.equalCount == 2 && comparison.differences.isEmpty)
  }

  /// I1, I6: seats that see different things have different hashes.
  @Test func `each copy is compared with the daemon's hash of its own view`() {
    var comparison = CopyComparison(copies: 2)
    comparison.note(70, at: 7, ofCopy: 0)
    comparison.note(71, at: 7, ofCopy: 1)
    comparison.note(daemon: 70, at: 7, ofCopy: 0)
    comparison.note(daemon: 71, at: 7, ofCopy: 1)
    #expect(comparison.equalCount == 2 && comparison.differences.isEmpty && comparison.revision == 7)
  }

  /// I1.
  @Test func `a copy that differs is named in either order`() {
    var comparison = CopyComparison(copies: 2)
    comparison.note(70, at: 7, ofCopy: 0)
    comparison.note(daemon: 71, at: 7, ofCopy: 0)
    #expect(comparison.differences.map(\.copy) == [0])
    comparison.note(daemon: 71, at: 7, ofCopy: 1)
    comparison.note(72, at: 7, ofCopy: 1)
    #expect(comparison.differences.map(\.copy) == [0, 1] && comparison.differences.map(\.revision) == [7, 7])
    #expect(comparison.revision == 7 && comparison.equalCount == 0)
  }

  @Test func `text is padded, cut and wrapped by columns`() {
    var text = StyledText("K♠ ", .bold)
    text.append("on 10♦, which is red", .red)
    #expect(text.columns == 23 && text.fitted(to: 25).plain == "K♠ on 10♦, which is red  ")
    #expect(text.cut(to: 7).plain == "K♠ on …" && text.cut(to: 7).columns == 7)
    #expect(text.wrapped(to: 12, indent: 2).map(\.plain) == ["K♠ on 10♦,", "  which is …"])
  }
}
