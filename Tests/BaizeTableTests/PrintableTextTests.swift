import BaizeTable
import Testing

@Suite struct PrintableTextTests {
  @Test(arguments: [
    ("6♦ à la carte", "6♦ à la carte"), ("\u{1B}[2Ja\n", #"\u{1b}[2Ja\u{a}"#),
    ("a\u{202E}b\u{2066}", #"a\u{202e}b\u{2066}"#),
    ("\u{9B}31m\u{7}\r", #"\u{9b}31m\u{7}\u{d}"#), ("\u{2028}\u{FEFF}\u{E000}", #"\u{2028}\u{feff}\u{e000}"#),
    (#"\u{1b}"#, #"\u{1b}"#), ("", ""),
  ])
  func `text from others cannot control a terminal`(text: String, escaped: String) {
    #expect(text.printable() == escaped)
    #expect(text.printable().printable() == escaped)
  }

  @Test func `a text is cut before it is escaped, and a program's own line feeds stay`() {
    #expect("\u{1B}\u{1B}\u{1B}".printable(lengthMax: 2) == #"\u{1b}\u{1b}"#)
    #expect("a\n\u{1B}b\n".printable(keepsLineFeeds: true) == "a\n\\u{1b}b\n")
  }
}
