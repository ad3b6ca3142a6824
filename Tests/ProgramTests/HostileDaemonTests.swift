import BaizeLaboratory
import BaizeTransport
import Foundation
import TestSupport
import Testing

/// Programs against a daemon that sends what it should not.
@Suite(.serialized, .hangGuard) struct HostileDaemonTests {
  @Test func `a daemon cannot control the terminal of a bot`() async throws {
    let daemon = try ChildProcess(
      "baized", ["--listen", "127.0.0.1:0", "--durability", "memory", "--log-level", "error"],
      marker: ChildProcess.daemonMarker)
    defer { daemon.stop() }
    let relay = try Self.relay(to: daemon.address, "CONTENDED", with: "\u{1B}[31mTEND")
    try await withTime { seconds in
      let bot = try ChildProcess(
        "baize-bot",
        [
          "--connect", "127.0.0.1:\(relay.port)", "--table", "t", "--type", "list?items=4", "--strategy", "random",
          "--count", "8", "--rate", "0", "--for", seconds,
        ])
      let code = bot.waitForExit()
      #expect(!(bot.output + bot.errors).contains("\u{1B}"))
      // The summary, such as `80 refused (80 \u{1b}[31mTEND)`, in which the reason is missing if nobody contended in that time.
      let summary = bot.output.split(separator: "\n").last { $0.contains(" refused (") && $0.contains("TEND") }
      guard let summary else { return false }
      #expect(code == 0)
      #expect(summary.contains(#" \u{1b}[31mTEND"#), "\(bot.output.suffix(500))")
      return true
    }
  }
}

extension HostileDaemonTests {
  @Test func `a daemon cannot control the terminal of the load generator`() throws {
    let daemon = try ChildProcess(
      "baized", ["--listen", "127.0.0.1:0", "--durability", "memory", "--log-level", "error", "--create", "nobody"],
      marker: ChildProcess.daemonMarker)
    defer { daemon.stop() }
    let relay = try Self.relay(to: daemon.address, "such", with: "\u{1B}[2m")
    let load = try ChildProcess(
      "baize-load",
      ["run", "--connect", "127.0.0.1:\(relay.port)", "--tables", "1", "--players", "1", "--seconds", "1"])
    #expect(load.waitForExit() != 0)
    let printed = load.output + load.errors
    #expect(printed.contains(#"\u{1b}[2m"#) && !printed.contains("\u{1B}"), "\(printed)")
  }

  /// By ``Console`` alone: nothing else escapes the name of a file.
  @Test func `whatever a program prints is escaped`() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("\u{1B}[31m.json")
    try Data(contentsOf: Repository.root.appending(path: "Protocol/table-types/list.json")).write(
      to: URL(fileURLWithPath: file))
    for (file, code) in [(file, 0), (file + "x", 2)] as [(String, Int32)] {
      let program = try ChildProcess("baized", ["check", file])
      #expect(program.waitForExit() == code)
      let printed = program.output + program.errors
      #expect(printed.contains(#"\u{1b}[31m.json"#) && !printed.contains("\u{1B}"), "\(printed)")
    }
  }

  /// Passes connections on to a daemon, and replaces a text in everything that comes back.
  ///
  /// - Parameters:
  ///   - text: The text to replace. It is missed where it is divided between two reads.
  ///   - replacement: A text of the same length.
  private static func relay(
    to address: SocketAddress, _ text: String, with replacement: String
  ) throws -> ChangingRelay {
    try ChangingRelay(to: address) { _ in
      { replacing(Data(text.utf8), with: Data(replacement.utf8), in: Data($0)) }
    }
  }

  private static func replacing(_ text: Data, with replacement: Data, in data: Data) -> [UInt8] {
    var data = data
    var start = data.startIndex
    while let found = data.range(of: text, in: start..<data.endIndex) {
      data.replaceSubrange(found, with: replacement)
      start = found.upperBound
    }
    return [UInt8](data)
  }
}
