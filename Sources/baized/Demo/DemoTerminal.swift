import BaizeBot
import BaizeSystem
import BaizeTable
import Synchronization

/// Standard output, which may be a terminal or a pipe, and the keys of a person at the terminal.
struct DemoTerminal {
  /// Whether standard output is a terminal that can be drawn on.
  let isInteractive: Bool
  /// Whether standard input is a terminal, too.
  let hasKeys: Bool
  private let isColourful: Bool
  /// Whether the reader has closed its end.
  private(set) var isBroken = false
  private var lastSize: (columns: Int, rows: Int) = (0, 0)

  init() {
    let kind = getenv("TERM").map { String(cString: $0) }
    isInteractive = isatty(STDOUT_FILENO) == 1 && kind != nil && kind != "dumb"
    hasKeys = isInteractive && isatty(STDIN_FILENO) == 1
    isColourful = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
  }

  var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Draws over the previous screen, line by line, without flicker.
  mutating func draw(_ lines: [StyledText]) {
    let size = size
    var text = lastSize == size ? "\u{1B}[H" : "\u{1B}[2J\u{1B}[H"
    lastSize = size
    for (number, line) in lines.prefix(size.rows).enumerated() {
      text += (number == 0 ? "" : "\r\n") + line.styled(isColourful: isColourful) + "\u{1B}[K"
    }
    text += "\u{1B}[J"
    if !TerminalScreen.write(text, readsKeys: hasKeys) { isBroken = true }
  }

  /// Returns the bytes that a person has typed, without waiting; `nil` if nobody can.
  mutating func read() -> [UInt8]? {
    guard hasKeys, TerminalScreen.isOpen else { return nil }
    var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptor, 1, 0) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: Self.readBytesMax)
    let count = BaizeSystem.read(STDIN_FILENO, &bytes, bytes.count)
    // The terminal is gone.
    if count == 0 { isBroken = true }
    return Array(bytes.prefix(max(0, count)))
  }

  private static let readBytesMax = 256

  mutating func printLine(_ text: String) {
    if !StandardStream.output.put(text.printable() + "\n") { isBroken = true }
  }

  static func close() { TerminalScreen.close() }
}

/// The terminal's second screen, and its input without lines and echo. Both are restored at every end of the program, by a
/// return, an error, or a signal, and while the program is stopped.
enum TerminalScreen {
  private struct State {
    var isOpen = false
    /// The input's settings before it lost its lines and echo; `nil` while it has them.
    var original: termios?
    var hasHandlers = false
  }

  private static let state = Mutex(State())

  private static let openCode = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[2J"
  private static let closeCode: StaticString = "\u{1B}[0m\u{1B}[?25h\u{1B}[?1049l"

  static var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Writes to the second screen, and opens it first if it is not open.
  ///
  /// - Returns: Whether the terminal takes it.
  static func write(_ text: String, readsKeys: Bool) -> Bool {
    state.withLock { state in
      if !state.isOpen {
        if readsKeys { state.original = beginRawInput() }
        state.isOpen = true
        if !state.hasHandlers { installHandlers() }
        state.hasHandlers = true
        guard StandardStream.output.put(openCode) else { return false }
      }
      return StandardStream.output.put(text)
    }
  }

  static func close() { state.withLock { restore(&$0) } }

  /// Restores the terminal and stops the process, as Ctrl-Z asks. Returns when it goes on; the next write opens the screen
  /// again.
  static func suspend() {
    state.withLock { state in
      restore(&state)
      kill(getpid(), SIGSTOP)
    }
  }

  /// Returns the settings before; `nil` if they cannot be changed.
  private static func beginRawInput() -> termios? {
    var original = termios()
    guard tcgetattr(STDIN_FILENO, &original) == 0 else { return nil }
    var raw = original
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO)
    return tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0 ? original : nil
  }

  /// Calls only what the handler of a fatal signal may call.
  private static func restore(_ state: inout State) {
    guard state.isOpen else { return }
    _ = BaizeSystem.write(STDOUT_FILENO, closeCode.utf8Start, closeCode.utf8CodeUnitCount)
    if var original = state.original { tcsetattr(STDIN_FILENO, TCSAFLUSH, &original) }
    state.original = nil
    state.isOpen = false
  }

  /// Restores the terminal also where the process ends without a return: on `exit`, and on a trap, unless that was within a
  /// write.
  private static func installHandlers() {
    atexit { TerminalScreen.close() }
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV] {
      signal(number) { number in
        _ = TerminalScreen.state.withLockIfAvailable { TerminalScreen.restore(&$0) }
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
