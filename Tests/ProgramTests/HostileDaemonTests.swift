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
    let relay = try RewritingRelay(to: daemon.address, "CONTENDED", with: "\u{1B}[31mTEND")
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
    let relay = try RewritingRelay(to: daemon.address, "such", with: "\u{1B}[2m")
    let load = try ChildProcess(
      "baize-load", ["--connect", "127.0.0.1:\(relay.port)", "--tables", "1", "--players", "1", "--seconds", "1"])
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
}

/// Passes connections on to a daemon, and replaces a text in everything that comes back.
private final class RewritingRelay: Sendable {
  let port: UInt16
  private let listener: Int32

  /// - Parameters:
  ///   - text: The text to replace. It is missed where it is divided between two reads.
  ///   - replacement: A text of the same length.
  init(to address: SocketAddress, _ text: String, with replacement: String) throws {
    let listener = socket(AF_INET, BlockingSocket.stream, 0)
    let isBound = BlockingSocket.withAddress(port: 0) { bind(listener, $0, $1) == 0 && listen(listener, 64) == 0 }
    try #require(isBound)
    self.listener = listener
    port = BlockingSocket.port(of: listener)
    Thread { [listener] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        let server = socket(AF_INET, BlockingSocket.stream, 0)
        guard BlockingSocket.withAddress(port: address.port, { connect(server, $0, $1) }) == 0 else { return }
        Thread { Self.copy(from: client, to: server) { $0 } }.start()
        Thread {
          Self.copy(from: server, to: client) { Self.replacing(Data(text.utf8), with: Data(replacement.utf8), in: $0) }
        }.start()
      }
    }.start()
  }

  /// Ends the accepting thread. The others end with their connections.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  private static func copy(from source: Int32, to target: Int32, _ change: (Data) -> Data) {
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(source, &room, room.count, 0)
      guard count > 0 else { break }
      var rest = [UInt8](change(Data(room[..<count])))[...]
      while !rest.isEmpty {
        let sent = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        guard sent > 0 else { break }
        rest.removeFirst(sent)
      }
    }
    shutdown(target, Int32(SHUT_RDWR))
  }

  private static func replacing(_ text: Data, with replacement: Data, in data: Data) -> Data {
    var data = data
    var start = data.startIndex
    while let found = data.range(of: text, in: start..<data.endIndex) {
      data.replaceSubrange(found, with: replacement)
      start = found.upperBound
    }
    return data
  }
}
