import BaizeBot
import BaizeSystem
import BaizeTable
import Synchronization

/// Standard output, which may be a terminal or a pipe.
struct DemoTerminal {
  /// Whether standard output is a terminal that can be drawn on.
  let isInteractive: Bool
  private let isColourful: Bool
  /// Whether the process has taken over the screen.
  private static let isOpen = Atomic(false)
  /// Whether the reader has closed its end.
  private(set) var isBroken = false

  private static let openCode = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let closeCode = "\u{1B}[?25h\u{1B}[?1049l"

  init() {
    let kind = getenv("TERM").map { String(cString: $0) }
    isInteractive = isatty(STDOUT_FILENO) == 1 && kind != nil && kind != "dumb"
    isColourful = getenv("NO_COLOR") == nil
  }

  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws over the previous screen, line by line, without flicker.
  mutating func draw(_ lines: [StyledText]) {
    var text = ""
    if !Self.isOpen.exchange(true, ordering: .relaxed) {
      text = Self.openCode
      // The terminal is restored at every end of the program.
      atexit { DemoTerminal.close() }
    }
    text += "\u{1B}[H"
    for (number, line) in lines.enumerated() {
      text += (number == 0 ? "" : "\r\n") + (isColourful ? line.styled : line.plain) + "\u{1B}[K"
    }
    write(text + "\u{1B}[J")
  }

  mutating func printLine(_ text: String) { write(text.printable() + "\n") }

  static func close() {
    if isOpen.exchange(false, ordering: .relaxed) { StandardStream.output.put(closeCode) }
  }

  private mutating func write(_ text: String) { if !StandardStream.output.put(text) { isBroken = true } }
}
