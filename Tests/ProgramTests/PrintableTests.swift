import BaizeBot
import Testing

@testable import baized

@Suite struct PrintableTests {
  @Test func `names of others cannot control the terminal`() {
    #expect(StyledText.clean("\u{1B}[2Ja\n") == "?[2Ja?")
  }
}
