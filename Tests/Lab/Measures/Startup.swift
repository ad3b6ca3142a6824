import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

extension Measure {
  private static let journal = CommandOption(
    "--journal", "FILE", "The journal. If it does not exist it is created, and kept for the next run.",
    standard: "a temporary one")
  private static let diffs = NumberOption(
    "--diffs", "N", "Diffs in a created journal, in total.", in: 0...100_000_000, standard: 1_000_000)
  private static let samples = NumberOption(
    "--samples", "N", "Tables that are loaded in each run.", in: 1...1_000, standard: 20)

  /// The time until a daemon with a large journal accepts connections, and the time to load a table.
  static let startup = Measure(
    "startup", "The time to start on a large journal and to load a table.",
    summary:
      "Starts a daemon on a large journal, and measures the time until it accepts connections and the time to load "
      + "a table.",
    options: [journal, .tables.standard(1_000), diffs, samples, .runs],
    notes: ["The file is mostly in the system's page cache: after a boot, reading is slower."],
    short: "--tables 50 --diffs 20000 --samples 5 --runs 1"
  ) { lab in
    let folder = try TemporaryFolder()
    let file = lab.text(journal) ?? folder.path("journal.sqlite")
    let (tables, samples) = (lab[.tables], lab[samples])
    if !FileManager.default.fileExists(atPath: file) { try build(file, tables: tables, diffs: lab[diffs]) }
    try lab.rounds { run in
      let start = MonotonicClock.now()
      try lab.withDaemon(journal: file) { daemon in
        lab.add("from start to accepting", milliseconds(since: start), "ms", digits: 1)
        // Each run loads other tables, spread over the journal.
        let loaded = try (0..<min(samples, tables)).map { sample in
          let start = MonotonicClock.now()
          let name = startupTable((sample * tables / samples + run) % tables)
          let table = try Driver.readTable(name, at: daemon.address, seconds: Double(HangGuard.seconds))
          return (milliseconds: milliseconds(since: start), revision: table.revision)
        }
        let times = Spread(values: loaded.map(\.milliseconds))
        lab.add("from hello to a whole snapshot", times.median, "ms", digits: 1)
        lab.add("the slowest table", times.most, "ms", digits: 1)
        lab.add("the least revision", Double(loaded.map(\.revision.rawValue).min() ?? 0), "")
      }
    }
    lab.limit("from start to accepting", atMost: 1_000, assumesQuiet: true)
    lab.limit("the slowest table", atMost: 50, assumesQuiet: true)
  }

  /// Returns the name of the `number`-th table.
  static func startupTable(_ number: Int) -> String { "startup-\(number)" }

  /// Has a daemon make a journal, by players who move items, each at a table of its own.
  static func build(_ file: String, tables: Int, diffs: Int) throws {
    let start = MonotonicClock.now()
    // The journal has another name until it is complete, so that an interrupted run leaves none.
    let unfinished = file + ".unfinished"
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: unfinished + ending) }
    let daemon = try ChildProcess.daemon(journal: unfinished)
    let driver = try Driver(count: tables, players: 1) {
      Hello(table: startupTable($0), tableType: "list?items=100", name: "builder")
    }
    try driver.join(daemon.address, connectingMax: 512)
    _ = driver.takeCounters()
    // A move that changes nothing has no diff.
    while driver.counters.accepted < diffs {
      driver.submit(.choices, count: diffs - Int(driver.counters.accepted))
      try driver.run(for: "the last answer") { driver.isDone }
    }
    try driver.leave()
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not stop: \(daemon.errors)") }
    try FileManager.default.moveItem(atPath: unfinished, toPath: file)
    Console.print("made a journal of \(diffs) diffs in \(Figures.fixed(milliseconds(since: start) / 1e3, 1)) s")
  }
}
