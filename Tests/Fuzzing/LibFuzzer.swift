import Foundation

/// The toolchain's libFuzzer, as a library: the program's `main` is its own.
enum LibFuzzer {
  /// Fuzzes by the command line: `baize-fuzz TARGET -runs=1000 FOLDER`.
  static func run() -> CInt {
    // The first word is what libFuzzer starts the program by again, through a shell, where it minimizes.
    let program = CommandLine.arguments.prefix(2).joined(separator: " ")
    var words: [UnsafeMutablePointer<CChar>?] =
      ([program] + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
    var count = CInt(words.count - 1)
    return words.withUnsafeMutableBufferPointer { buffer in
      var arguments = buffer.baseAddress
      return runDriver(&count, &arguments) { start, count in
        _ = LibFuzzer.target?.run(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      }
    }
  }

  /// A C function has no context.
  private static let target = FuzzTarget(rawValue: CommandLine.arguments[1])
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
  _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
