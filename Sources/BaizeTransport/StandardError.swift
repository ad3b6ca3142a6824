#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// The process's standard error.
public enum StandardError {
  /// Writes a text in one call, so that lines of several threads do not mix. Failures are ignored.
  public static func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty, case .done(let count)? = try? SystemCall.attempt("write", { send(rest) }), count > 0 {
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  private static func send(_ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
      Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    #else
      Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    #endif
  }
}
