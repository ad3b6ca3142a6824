import BaizeCommandLine
import BaizeHarness
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-load crash`: kills of a daemon while clients play.
  static var crash: MeasureCommand {
    let kills = NumberOption("--kills", "N", "How often the daemon is killed.", in: 1...100_000, standard: 50)
    let seed = CommandOption(
      "--seed", "S", "The seed of the times and of the clients' choices.", standard: "a random one")
    let directory = CommandOption(
      "--directory", "DIR", "The directory of the journal.", standard: "the system's temporary directory")
    let durability = CommandOption(
      "--durability", "MODE", "The daemon's durability.", standard: "strict; with --expect-loss memory")
    let standard = LedgerPlayOptions()
    let tables = NumberOption.tables(standard: standard.tables)
    let players = NumberOption(
      "--players", "P", "The number of players at each table.", in: 1...64, standard: standard.players)
    let rate = NumberOption(
      "--rate", "N", "Operations per second of each player.", in: 1...100_000, "operations per second", standard: 400)
    let expectLoss = CommandOption("--expect-loss", nil, "Expects lost operations, and fails if there are none.")
    let migrate = CommandOption(
      "--migrate", nil, "Changes the documents of all table types before each start, to which the tables move then.")
    let keep = CommandOption("--keep", nil, "Keeps the journal; it is also kept after a failure.")
    return MeasureCommand(
      "crash", "Kills of the daemon while clients play.",
      summary: "Kills a daemon repeatedly while clients play, and checks that nothing that a client received is lost.",
      options: [
        kills.option, seed, directory, durability, tables.option, players.option, rate.option, expectLoss, migrate,
        keep,
      ],
      notes: [
        "The daemon is killed at random times, sometimes while it starts, and sometimes stopped by SIGTERM, and starts at once "
          + "at the same address. At the end every operation and its verdict are compared with the tables, and every table's "
          + "history is replayed from the journal. One of the table types has aliases and a clock, and each eighth daemon lives long enough "
          + "for its time to be up."
      ]
    ) { parsed in
      var options = LedgerPlayOptions()
      options.tables = try tables(parsed)
      options.players = try players(parsed)
      options.rate = UInt64(try rate(parsed))
      options.seed = try parsed.number(seed.flag, in: 0...UInt64.max) ?? .random(in: 1...1_000_000)
      let expectsLoss = parsed.has(expectLoss.flag)
      let mode: Durability? = try parsed.choice(durability.flag)
      return try CrashMeasure(
        options: options, kills: kills(parsed), directory: parsed.text(directory.flag),
        durability: mode ?? (expectsLoss ? .memory : .strict), expectsLoss: expectsLoss,
        migrates: parsed.has(migrate.flag),
        keeps: parsed.has(keep.flag)
      ).perform()
    }
  }
}

/// Kills a daemon repeatedly while clients play and reconnect, and compares all verdicts with the tables in the end.
struct CrashMeasure {
  let options: LedgerPlayOptions
  let kills: Int
  let directory: String?
  let durability: Durability
  let expectsLoss: Bool
  let migrates: Bool
  let keeps: Bool

  /// The folder of the documents.
  private static let types = "types"
  /// A table type with aliases, whose time is up every second or so, when one of its items is done.
  private static let clocked = """
    {
      "baize": 1, "name": "clocked", "title": "Clocked", "seats": { "max": 64 }, "contention": "last",
      "collections": [
        {
          "kind": "items", "updates": true, "lift": { "offers": ["move", "alias", "delete"] },
          "accept": { "operations": ["move", "alias"], "inserts": true }
        },
        { "kind": "done", "lift": { "offers": ["move", "alias", "delete"] }, "accept": { "operations": ["move", "alias"] } }
      ],
      "setUp": [{ "numbered": { "count": 20, "attribute": "number" }, "deal": [{ "to": "items" }] }],
      "clock": { "table": { "seconds": 1, "try": [{ "move": { "from": "items", "to": "done" } }] } }
    }
    """
  /// A time that is longer than the daemon may take to notice that a second has passed, and a client to come back.
  private static let clockedSeconds = 4.0
  private static let livesPerClockedLife = 8

  func perform() throws -> MeasureCommand.Result {
    Console.print("seed \(options.seed)")
    let folder = try TemporaryFolder(in: directory)
    var isSound = false
    defer {
      folder.isKept = keeps || !isSound && !expectsLoss
      if folder.isKept { Console.print("the journal is in \(folder.url.path)") }
    }
    // Another address than the clients' own: one that connects while nobody listens cannot be connected to itself.
    var address = try SocketAddress(parsing: "127.0.0.2:0")
    try writeTypes(folder)
    var daemon = try start(at: address, folder, marker: ChildProcess.daemonMarker)
    address = daemon.address
    var options = options
    options.address = address
    options.tableTypes.append("clocked")
    options.movesPerEpoch = migrates ? 1 : 0
    let play = try LedgerPlay(options)
    try play.join()
    var random = RandomSource(seed: options.seed)
    var (killed, stopped) = (0, 0)
    let began = MonotonicClock.now()
    while killed < kills {
      // Mostly while it serves, sometimes while it starts.
      if (killed + stopped) % Self.livesPerClockedLife == 1 {
        try waitUntilListening(daemon, play)
        try play.play(seconds: Self.clockedSeconds)
      } else if random.below(100) < 15 {
        try play.play(seconds: Double(random.below(50)) / 1e3)
      } else {
        try waitUntilListening(daemon, play)
        try play.play(seconds: 0.02 + Double(random.below(1_180)) / 1e3)
      }
      let isKill = random.below(10) > 0
      let code = try end(daemon, by: isKill ? SIGKILL : SIGTERM, play)
      guard code == (isKill ? -SIGKILL : 0) else {
        throw RunFailure("the daemon ended with \(code):\n\(daemon.errors)")
      }
      if isKill { killed += 1 } else { stopped += 1 }
      daemon = try start(at: address, folder, marker: nil)
    }
    try waitUntilListening(daemon, play)
    try play.play(seconds: 1)
    play.finish()
    let result = ReconnectResult(play: play, seconds: Double(MonotonicClock.now() - began) / 1e9)
    Console.print("\(result.text)\n\(killed) kills, \(stopped) clean stops, \(play.timesUp) expiries")
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not stop cleanly:\n\(daemon.errors)") }
    if !expectsLoss { try replay(folder) }
    if migrates { try checkDocuments(folder) }
    guard play.timesUp > 0 || options.tables < options.tableTypes.count || killed + stopped < 2 else {
      throw RunFailure("no time was up")
    }
    isSound = result.faults.isEmpty != expectsLoss
    Console.print(isSound ? "passed" : expectsLoss ? "failed: no lost operation was detected" : "failed")
    return (isSound, result.json)
  }

  private func start(at address: SocketAddress, _ folder: TemporaryFolder, marker: String?) throws -> ChildProcess {
    if migrates { try changeTypes(folder) }
    return try ChildProcess(
      "baized",
      [
        "--listen", "\(address)", "--journal", folder.path("journal.sqlite"), "--durability", durability.rawValue,
        "--log-level", "warning", "--types", folder.path(Self.types),
      ] + (migrates ? ["--migrate"] : []), marker: marker, keepsEarlySignals: true)
  }

  private func writeTypes(_ folder: TemporaryFolder) throws {
    try FileManager.default.createDirectory(atPath: folder.path(Self.types), withIntermediateDirectories: true)
    try write(Self.clocked, to: "clocked", folder)
  }

  private func write(_ document: String, to name: String, _ folder: TemporaryFolder) throws {
    try document.write(toFile: "\(folder.path(Self.types))/\(name).json", atomically: true, encoding: .utf8)
  }

  /// Gives the types that are played another title and another variable.
  private func changeTypes(_ folder: TemporaryFolder) throws {
    let mark = UInt64.random(in: 0...UInt64.max)
    let bundled = TableTypeLibrary.bundled.documents.map { (name: $0.name, title: $0.title, text: $0.text) }
    for document in bundled + [("clocked", "Clocked", Self.clocked)] {
      let title = "\"title\": \"\(document.title)\","
      let key = "\"collections\": ["
      guard document.text.contains(title), let range = document.text.range(of: key) else {
        throw RunFailure("the document of '\(document.name)' cannot be changed")
      }
      var text = document.text
      if !text.contains("\"variables\"") {
        text.insert(contentsOf: "\"variables\": { \"v\(mark)\": 1 },\n", at: range.lowerBound)
      }
      text = text.replacing(title, with: "\"title\": \"\(mark)\",")
      try write(text, to: document.name, folder)
    }
  }

  private func waitUntilListening(_ daemon: ChildProcess, _ play: LedgerPlay) throws {
    try waitUntil(for: "the daemon to listen", step: { try play.play(seconds: 0.002) }) {
      guard daemon.isRunning else { throw RunFailure("the daemon ended by itself:\n\(daemon.errors)") }
      return daemon.rest(ofLine: ChildProcess.daemonMarker) != nil
    }
  }

  private func end(_ daemon: ChildProcess, by signal: Int32, _ play: LedgerPlay) throws -> Int32 {
    daemon.send(signal)
    try waitUntil(for: "the daemon to end", step: { try play.play(seconds: 0.002) }) {
      !daemon.isRunning
    }
    return daemon.waitForExit()
  }

  /// Checks that every table has moved to the last documents.
  private func checkDocuments(_ folder: TemporaryFolder) throws {
    let program = try ChildProcess(
      "baized", ["tables", folder.path("journal.sqlite"), "--types", folder.path(Self.types)])
    let present =
      program.waitForExit() == 0 ? program.output.split(separator: "\n").filter { $0.hasSuffix(" present") } : []
    guard present.count == options.tables else { throw RunFailure("tables have older documents:\n\(program.output)") }
    Console.print("\(present.count) tables have the last documents")
  }

  /// Checks that every table's history in the journal leads to the stored snapshots.
  private func replay(_ folder: TemporaryFolder) throws {
    let journal = folder.path("journal.sqlite")
    func output(of arguments: [String]) throws -> String {
      let program = try ChildProcess("baized", arguments)
      guard program.waitForExit() == 0 else {
        throw RunFailure("baized \(arguments): \(program.errors)\(program.output)")
      }
      return program.output
    }
    let listing = try output(of: ["tables", journal])
    let names = listing.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix(options.tablePrefix) }
    guard names.count == options.tables else { throw RunFailure("the journal lists other tables:\n\(listing)") }
    for name in names { _ = try output(of: ["replay", journal, String(name)]) }
    Console.print("\(names.count) tables replayed from the journal")
  }
}
