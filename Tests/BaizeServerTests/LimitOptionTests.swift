import BaizeCommandLine
import BaizeServer
import BaizeTable
import TestSupport
import Testing

@testable import baized

/// The flags that change limits.
@Suite struct LimitOptionTests {
  @Test func `every flag is in the help and has a row in the specification`() throws {
    let rows = try Repository.text("Protocol/limits.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
    let flags = LimitOption.all.map(\.option.flag)
    #expect(Set(flags).count == flags.count && flags.count > 10)
    for flag in flags {
      #expect(rows.contains { $0.contains("`\(flag)`") }, "\(flag)")
      #expect(ListenOptions.command.help.contains("  \(flag) "), "\(flag)")
    }
  }

  @Test func `every flag sets a limit of its own and has bounds`() throws {
    var seen: Set<String> = [Self.text(ServerConfiguration())]
    for flag in LimitOption.all.map(\.option.flag) {
      // A count, and numbers of bytes, of which each limit allows one.
      let set = ["7", "70000", "20000000"].compactMap { try? Self.configuration("\(flag)=\($0)") }
      #expect(seen.insert(Self.text(try #require(set.first, "\(flag)"))).inserted, "\(flag)")
      #expect(throws: CommandLineError.self, "\(flag)") { try Self.configuration("\(flag)=99999999999999") }
    }
  }

  @Test func `the burst equals the rate unless it is given`() throws {
    #expect(try Self.configuration("--operations-per-second-max=5").limits.sessions.operationsBurstMax == 5)
    #expect(try Self.configuration("--operations-per-second-max=0").limits.sessions.operationsBurstMax == 1)
    let both = try Self.configuration("--operations-per-second-max=5", "--operations-burst-max=9")
    #expect(both.limits.sessions.operationsPerSecondMax == 5 && both.limits.sessions.operationsBurstMax == 9)
  }

  private static func configuration(_ arguments: String...) throws -> ServerConfiguration {
    var configuration = ServerConfiguration()
    try LimitOption.apply(CommandLineArguments(arguments, for: ListenOptions.command), to: &configuration)
    return configuration
  }

  private static func text(_ configuration: ServerConfiguration) -> String {
    "\(configuration.limits) \(configuration.connectionsMax) \(configuration.connectionsPerAddressMax ?? 0) "
      + "\(configuration.memoryBytesMax ?? 0) \(configuration.tlsHandshakesPerSecondMax) "
      + "\(configuration.tlsHandshakesPerAddressMax ?? 0)"
  }
}
