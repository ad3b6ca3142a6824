import Foundation

/// The toolchain's libFuzzer, as a library: the program's `main` is its own.
enum LibFuzzer {
  typealias Body = @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt

  /// Fuzzes by the command line: `baize-fuzz TARGET -runs=1000 FOLDER`.
  static func run(_ target: FuzzTarget) -> CInt {
    // The first word is what libFuzzer starts the program by again, through a shell, where it minimizes.
    let program = CommandLine.arguments.prefix(2).joined(separator: " ")
    var words: [UnsafeMutablePointer<CChar>?] =
      ([program] + CommandLine.arguments.dropFirst(2)).map { strdup($0) } + [nil]
    var count = CInt(words.count - 1)
    return words.withUnsafeMutableBufferPointer { buffer in
      var arguments = buffer.baseAddress
      return runDriver(&count, &arguments, body(of: target))
    }
  }

  /// A C function has no context, so there is one for each.
  private static func body(of target: FuzzTarget) -> Body {
    switch target {
    case .frames: { LibFuzzer.run(.frames, $0, $1) }
    case .clientMessages: { LibFuzzer.run(.clientMessages, $0, $1) }
    case .serverMessages: { LibFuzzer.run(.serverMessages, $0, $1) }
    case .client: { LibFuzzer.run(.client, $0, $1) }
    case .tableTypes: { LibFuzzer.run(.tableTypes, $0, $1) }
    case .journal: { LibFuzzer.run(.journal, $0, $1) }
    case .shard: { LibFuzzer.run(.shard, $0, $1) }
    }
  }

  private static func run(_ target: FuzzTarget, _ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    _ = target.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
  }
}

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>, _ body: LibFuzzer.Body
) -> CInt
