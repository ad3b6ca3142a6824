import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import Dispatch
import Foundation
import Synchronization
import Testing

@testable import BaizeServer

extension DaemonProgramTests {
  /// The log: its forms, its queue, and a reader that does not read.
  @Suite struct Logs {
    /// The FIFO is held open by the shell's descriptor 3, from which nobody reads.
    private static let stuckLog = "mkfifo log && exec 3<>log && exec BAIZED 2>log"

    @Test func `a line is text or an object, and controls nothing`() throws {
      let hostile = "a \"name\" \\ with \u{1b}[2J,\u{202E} and\nlines"
      let lines = LogLines()
      for format in Log.Format.allCases { Log(.info, format: format) { lines.append($0) }(.warning, hostile) }
      let written = lines.all
      for line in written {
        #expect(line.count { $0 == "\n" } == 1 && line.hasSuffix("\n"))
        #expect(line.unicodeScalars.dropLast().allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
      }
      #expect(written[0].contains("Z warning: a \"name\" \\ with \\u{1b}[2J,\\u{202e} and\\u{a}lines"))
      let object = try JSONSerialization.jsonObject(with: Data(written[1].utf8)) as? [String: String]
      #expect(object?.keys.sorted() == ["level", "text", "time"] && object?["level"] == "warning")
      #expect(object?["text"] == "a \"name\" \\ with \\u{1b}[2J,\\u{202e} and\\u{a}lines")
    }

    /// I8: the queue is bounded, and what it drops is counted.
    @Test func `a queue whose writer is stuck drops lines, counts them, and says so later`() throws {
      let lines = Mutex<[String]>([])
      let (hasBegun, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let isOpen = Atomic(false)
      let queue = LogQueue(bytesMax: 1_000) { line in
        if !isOpen.load(ordering: .relaxed) {
          hasBegun.signal()
          gate.wait()
        }
        lines.withLock { $0.append(line) }
      }
      queue.add("line 1000\n", .json)
      hasBegun.wait()
      for number in 1..<200 { queue.add("line \(number + 1_000)\n", .json) }
      isOpen.store(true, ordering: .relaxed)
      gate.signal()
      queue.flush()
      let written = lines.withLock { $0 }
      #expect(written.prefix(100) == (0..<100).map { "line \($0 + 1_000)\n" }[...])
      #expect(written.count == 101 && written.last?.contains("100 lines of the log were dropped") == true)
      #expect(written.last?.hasPrefix("{") == true)
      queue.add("again\n", .text)
      queue.flush()
      #expect(lines.withLock { $0.last } == "again\n")
    }

    /// I11: a log that nobody reads delays no table, and the daemon still ends.
    @Test func `a stuck log pipe stops neither tables nor the end of the daemon`() throws {
      let folder = try TemporaryFolder()
      let program = try ChildProcess.listening(
        by: Self.stuckLog,
        [
          "--log-level", "debug", "--durability", "memory", "--tables-per-second-max", "0", "--tables-burst-max",
          "100000",
        ] + HangGuard.daemonFlags, in: folder)
      // Each connection makes some lines with the table's name: far more than a pipe and the queue hold.
      let (member, joined) = try BlockingClient.joining(program.address, Hello(table: "t", tableType: "list?items=3"))
      for number in 0..<4_000 { try fail(to: program.address, number) }
      member.send(joined.move(joined.items[0], number: 1))
      #expect(try member.diff() != nil)
      let reader = open(folder.path("log"), O_RDONLY | O_NONBLOCK)
      #expect(reader >= 0)
      defer { close(reader) }
      let bytes = try readUntil("lines of the log were dropped", from: reader)
      #expect(bytes > 1 << 20, "\(bytes)")
      program.send(SIGTERM)
      #expect(program.waitForExit() == 0)
    }

    @Test func `the daemon ends in time while its log is stuck`() throws {
      let folder = try TemporaryFolder()
      let program = try ChildProcess.listening(
        by: Self.stuckLog, ["--log-level", "debug", "--durability", "memory"], in: folder)
      for number in 0..<500 { try fail(to: program.address, number) }
      program.send(SIGTERM)
      #expect(program.waitForExit() == 0, "the flush and the stop have limits")
    }

    @Test func `one line at the start says what an operator wants to know`() throws {
      let folder = try TemporaryFolder()
      let program = try ChildProcess.listening(
        by: "ulimit -n 400; exec BAIZED", ["--http", "off", "--log-format", "json", "--shards", "2"], in: folder)
      let lines = program.errors.split(separator: "\n")
      #expect(lines.count == 1, "\(lines)")
      for words in [
        "baized \(BaizeVersion.text) listens on \(program.address);", "journal 'baize.sqlite' with 0 tables;",
        "durability strict; 2 shards; ", " table types; at most 144 connections, not 100000, since",
        "grants 400 descriptors", "MiB of memory (see --memory-max); every process of this machine",
      ] {
        #expect(program.errors.contains(words), "\(words): \(lines)")
      }
      #expect(program.stop() == 0)
      for line in program.errors.split(separator: "\n") {
        #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: String], "\(line)")
      }
    }

    @Test func `SIGUSR1 and SIGUSR2 do no harm, and a failed start is a line of the log`() throws {
      let program = try ChildProcess(
        "baized", ["--listen", "127.0.0.1:0", "--durability", "memory"], marker: ChildProcess.daemonMarker)
      for signal in [SIGUSR1, SIGUSR2, SIGPIPE] { program.send(signal) }
      let (client, _) = try BlockingClient.joining(program.address, Hello(table: "t", tableType: "list"))
      #expect(try client.ping(1) != nil)
      client.close()
      let second = try ChildProcess(
        "baized", ["--listen", "\(program.address)", "--log-format", "json", "--durability", "memory"])
      #expect(second.waitForExit() == 2 && second.output.isEmpty)
      let object = try JSONSerialization.jsonObject(with: Data(second.errors.utf8)) as? [String: String]
      #expect(object?["level"] == "error" && object?["text"]?.hasPrefix("cannot listen on ") == true)
      #expect(program.stop() == 0)
    }

    /// Tries to join a table that is not there, which is several lines of the log.
    private func fail(to address: SocketAddress, _ number: Int) throws {
      #expect(try refusal(of: Hello(table: "\(number)" + String(repeating: "x", count: 50)), at: address) != nil)
    }

    /// Reads what is in a pipe until a text has come.
    ///
    /// - Returns: The number of bytes.
    private func readUntil(_ words: String, from descriptor: Int32) throws -> Int {
      var text: [UInt8] = []
      try waitUntil(for: "the log to say '\(words)'", step: { usleep(1_000) }) {
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        if count > 0 { text += bytes.prefix(count) }
        return String(decoding: text.suffix(1 << 17), as: UTF8.self).contains(words)
      }
      return text.count
    }
  }
}
