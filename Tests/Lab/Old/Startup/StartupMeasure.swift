import BaizeCommandLine
import BaizeDriver
import BaizeJournal
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-lab startup`: the start of a daemon with a large journal.
  static var startup: MeasureCommand {
    let journal = CommandOption(
      "--journal", "FILE", "The journal. If it does not exist it is created, and kept for the next run.",
      standard: "a temporary one")
    let tables = NumberOption.tables("Tables in a created journal.", in: 1...100_000, standard: 1_000)
    let diffs = NumberOption(
      "--diffs", "N", "Diffs in a created journal, in total.", in: 0...100_000_000, standard: 1_000_000)
    let samples = NumberOption("--samples", "N", "Tables that are loaded in each run.", in: 1...1_000, standard: 20)
    let runs = NumberOption.runs("Runs.")
    return MeasureCommand(
      "startup", "The time to start on a large journal and to load a table.",
      summary:
        "Starts a daemon on a large journal, and measures the time until it accepts connections and the time to load "
        + "a table.",
      options: [journal] + [tables, diffs, samples, runs].map(\.option),
      notes: [
        "Starts baized from the folder of baize-lab. The file is mostly in the system's page cache: after a boot, reading is "
          + "slower.",
        "The limits: a daemon accepts within \(Int(StartupMeasure.acceptingMillisecondsMax)) ms, and the slowest table is loaded in "
          + "less than \(Int(StartupMeasure.loadingMillisecondsMax)) ms. The exit code is 1 if one is missed.",
      ]
    ) { parsed in
      try StartupMeasure(
        file: parsed.text(journal.flag), tables: tables(parsed), diffs: diffs(parsed), runs: runs(parsed),
        samples: samples(parsed)
      ).perform()
    }
  }
}

/// Measures the time until a daemon with a large journal accepts connections, and the time to load a table.
struct StartupMeasure {
  /// The journal; it is created if it does not exist. `nil` for a temporary one.
  let file: String?
  let tables: Int
  let diffs: Int
  let runs: Int
  /// Tables that are loaded in each run.
  let samples: Int

  private static let tableType = "list?items=100"
  /// The maximum time in milliseconds until a daemon accepts, and until a table is loaded.
  static let acceptingMillisecondsMax = 1_000.0
  static let loadingMillisecondsMax = 50.0

  func perform() throws -> MeasureCommand.Result {
    let folder = try TemporaryFolder()
    let file = file ?? folder.path("journal.sqlite")
    try build(file)
    var figures = Figures()
    for run in 1...runs {
      let start = MonotonicClock.now()
      let daemon = try ChildProcess.daemon(journal: file)
      figures.add("from start to accepting", Double(MonotonicClock.now() - start) / 1e6, "ms", digits: 1)
      let tables = try load(from: daemon, run)
      let times = tables.map(\.milliseconds)
      figures.add("from hello to a whole snapshot", Spread(values: times).median, "ms", digits: 1)
      figures.add("the slowest of \(samples) tables", times.max() ?? 0, "ms", digits: 1)
      figures.add("the least revision of them", Double(tables.map(\.revision.rawValue).min() ?? 0), "")
      daemon.stop()
      Console.print("run \(run) of \(runs): \(figures.last)")
    }
    Console.print(
      "\(diffs) diffs over \(tables) tables of type \(Self.tableType), medians of \(runs) runs (least … most)\n"
        + figures.text)
    let isSound =
      figures["from start to accepting"].median <= Self.acceptingMillisecondsMax
      && figures["the slowest of \(samples) tables"].median < Self.loadingMillisecondsMax
    if !isSound { Console.print("the limit is missed") }
    return (isSound, figures.json)
  }

  /// Returns the name of the `number`-th table.
  static func tableName(_ number: Int) -> String { "startup-\(number)" }

  private func build(_ file: String) throws {
    guard !FileManager.default.fileExists(atPath: file) else { return }
    let start = MonotonicClock.now()
    // The journal has another name until it is complete, so that an interrupted run leaves none.
    let unfinished = file + ".unfinished"
    for ending in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: unfinished + ending) }
    do {
      var builder = JournalBuilder(try SQLiteJournal(path: unfinished))
      try builder.build(tables: tables, type: Self.tableType, diffs: diffs)
    }
    try FileManager.default.moveItem(atPath: unfinished, toPath: file)
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    Console.print("made a journal of \(diffs) diffs in \(LoadResult.fixed(seconds, 1)) s")
  }

  private func load(from daemon: ChildProcess, _ run: Int) throws -> [(milliseconds: Double, revision: Revision)] {
    try (0..<min(samples, tables)).map { sample in
      // Each run loads other tables, spread over the journal.
      let number = (sample * tables / samples + run) % tables
      let start = MonotonicClock.now()
      let table = try Crowd.readTable(Self.tableName(number), at: daemon.address, seconds: 60)
      return (Double(MonotonicClock.now() - start) / 1e6, table.revision)
    }
  }
}
