#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a program says to whoever started it, and how it ends.
public enum Console {
  /// A line of the program's result on standard output. It is there when this returns, even if that is a pipe.
  public static func say(_ text: String) {
    print(text)
    fflush(nil)
  }

  /// A line on standard error.
  public static func complain(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = write(STDERR_FILENO, rest.baseAddress, rest.count)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  /// Ends the program because it was called wrongly or with something unusable: one line, and exit code 2.
  public static func refuse(_ program: String, _ text: String) -> Never {
    complain("\(program): \(text)")
    exit(ExitCode.misuse.rawValue)
  }

  public static func end(_ code: ExitCode) -> Never { exit(code.rawValue) }
}

/// How a program ended, for whoever started it.
public enum ExitCode: Int32, Sendable {
  case success = 0
  /// It ran, and something went wrong.
  case failure = 1
  /// It was called wrongly, or with something unusable.
  case misuse = 2
}
