import BaizeSystem
import BaizeTable

/// A program's output and exit codes. Whatever it prints is escaped, so that text from others cannot control the terminal.
public enum Console {
  /// Prints a line to standard output and flushes it, also to a pipe.
  public static func print(_ text: String) {
    Swift.print(text.printable(keepsLineFeeds: true))
    fflush(nil)
  }

  public static func printError(_ text: String) {
    StandardStream.error.put(text.printable(keepsLineFeeds: true) + "\n")
  }

  /// Ends the program after a usage error: prints one line and exits with code 2.
  public static func refuse(_ program: String, _ text: String) -> Never {
    printError("\(program): \(text)")
    exit(ExitCode.misuse.rawValue)
  }

  public static func end(_ code: ExitCode) -> Never { end(code.rawValue) }

  /// Ends the program with a code of its own.
  public static func end(_ code: Int32) -> Never { exit(code) }
}

public enum ExitCode: Int32, Sendable {
  /// The program has done its work.
  case success = 0
  /// The program failed while it ran.
  case failure = 1
  /// The program was called with invalid arguments or files.
  case misuse = 2
  /// Another process has taken over its work. A supervisor must not restart the program.
  case superseded = 3
}
