import BaizeDriver
import BaizeLaboratory
import Foundation
import TestSupport
import Testing

/// What `baize-load` says of a daemon, and its exit codes.
@Suite(.serialized, .hangGuard) struct LoadTests {
  private static func run(
    _ arguments: [String], in folder: TemporaryFolder? = nil
  ) throws -> (
    code: Int32, output: String, errors: String
  ) {
    let load = try ChildProcess("baize-load", arguments, in: folder)
    return (load.waitForExit(), load.output, load.errors)
  }

  private static func load(_ daemon: ChildProcess, _ arguments: [String]) -> [String] {
    ["run", "--connect", "\(daemon.address)", "--tables", "1", "--players", "2", "--seconds", "1", "--quiet"]
      + arguments
  }

  /// That this machine is slow is no matter here.
  private static let open = ["--rate", "100", "--late-max", "100"]

  @Test func `a run says that nothing was lost, and writes its files`() throws {
    let folder = try TemporaryFolder()
    let daemon = try ChildProcess.daemon()
    let files = ["--json", "a.json", "--html", "a.html", "--hdr", "a.hdr"]
    let objective = ["--slo", "lost == 0, seen.p50 < 600s"]
    let (code, output, errors) = try Self.run(Self.load(daemon, Self.open + files + objective), in: folder)
    #expect(code == 0 && errors.isEmpty, "\(output) \(errors)")
    let lines = output.split(separator: "\n")
    #expect(lines[1].hasPrefix("correct         lost 0  doubled 0  out of order 0  diverged 0"))
    #expect(lines.contains { $0.hasPrefix("operations      planned 100  sent ") })
    #expect(lines.last?.hasPrefix("Nothing was lost, doubled, out of order or diverged at ") == true)
    let json = try Data(contentsOf: URL(fileURLWithPath: folder.path("a.json")))
    let object = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect(object["planned"] as? Int == 100 && object["isCorrect"] as? Bool == true)
    let page = try String(contentsOfFile: folder.path("a.html"), encoding: .utf8)
    #expect(page.components(separatedBy: "<figure>").count == 5 && !page.contains("http") && !page.contains("nan"))
    let log = try String(contentsOfFile: folder.path("a.hdr"), encoding: .utf8)
    #expect(log.contains("\nTag=response,0.000,1.000,") && log.contains("\nTag=seen,0.000,1.000,"))
  }

  @Test func `an objective that is missed gives exit code 3, and one that cannot be read 2`() throws {
    let daemon = try ChildProcess.daemon()
    let missed = try Self.run(Self.load(daemon, ["--window", "1", "--slo", "lost == 0, judged > 1000000000"]))
    #expect(missed.code == 3 && missed.output.contains("MISSED  judged > 1000000000: "), "\(missed)")
    #expect(missed.output.hasSuffix(" operations per second: 1 of 2 conditions.\n"))
    let unread = try Self.run(Self.load(daemon, ["--slo", "seen.p99 < 20"]))
    #expect(unread.code == 2 && unread.errors.contains("'20' is not a time with its unit"), "\(unread)")
  }

  @Test func `a stream that is wrong gives exit code 1, and no rate`() throws {
    let daemon = try ChildProcess.daemon()
    let relay = try DiffDoctor.doubles.relay(to: daemon.address, connection: 1)
    let arguments = Self.load(daemon, ["--window", "4"]).map { $0 == "\(daemon.address)" ? "\(relay.address)" : $0 }
    let (code, output, _) = try Self.run(arguments)
    #expect(code == 1 && output.contains("lost 0  doubled 1  out of order 0  diverged 0\n"), "\(output)")
    #expect(!output.contains("\nrate"))
  }

  @Test func `a generator that is stopped is late, and says so with exit code 4`() throws {
    let daemon = try ChildProcess.daemon()
    let load = try ChildProcess(
      "baize-load",
      [
        "run", "--connect", "\(daemon.address)", "--tables", "1", "--players", "2", "--seconds", "3", "--rate", "100",
        "--late-max", "1",
      ])
    try waitUntil(for: "the first second", step: { usleep(1_000) }) {
      load.output.contains("1 s  planned") || !load.isRunning
    }
    load.send(SIGSTOP)
    usleep(500_000)
    load.send(SIGCONT)
    #expect(load.waitForExit() == 4, "\(load.output) \(load.errors)")
    #expect(load.output.contains("\nThe harness was late with "))
  }

  @Test func `a search confirms the rate that it finds`() throws {
    let daemon = try ChildProcess.daemon()
    func search(_ objective: String) throws -> (code: Int32, output: String, errors: String) {
      try Self.run([
        "search", "--connect", "\(daemon.address)", "--tables", "1", "--players", "2", "--seconds", "1", "--from", "50",
        "--to", "50", "--window", "64", "--late-max", "100", "--slo", objective,
      ])
    }
    let found = try search("lost == 0")
    #expect(found.code == 0 && found.output.contains("50 per second for 3 s: held"), "\(found)")
    #expect(found.output.hasSuffix("The daemon holds lost == 0 at 50 operations per second.\n"))
    let none = try search("judged > 1000000000")
    #expect(none.code == 3 && none.output.hasSuffix("holds at no rate that was tried.\n"), "\(none)")
    #expect(try Self.run(["search"]).code == 2)
  }

  @Test func `a comparison gives exit code 1 after a regression, and 2 if there is none to be made`() throws {
    let folder = try TemporaryFolder()
    for (name, judged) in [("a", 1_000), ("b", 500)] as [(String, UInt64)] {
      var result = LoadResult(options: LoadOptions())
      for _ in 0..<6 {
        var counters = LoadCounters()
        counters.accepted = judged
        result.add(counters, seconds: 1)
      }
      try JSONSerialization.data(withJSONObject: result.json()).write(
        to: URL(fileURLWithPath: folder.path("\(name).json")))
    }
    let worse = try Self.run(["compare", "a.json", "b.json"], in: folder)
    #expect(worse.code == 1 && worse.output.contains("REGRESSION"), "\(worse)")
    #expect(worse.output.hasSuffix("Worse than before: judged.\n"))
    #expect(try Self.run(["compare", "b.json", "a.json"], in: folder).code == 0)
    #expect(try Self.run(["compare", "a.json"], in: folder).code == 2)
    #expect(try Self.run(["compare", "a.json", "none.json"], in: folder).code == 2)
  }
}
