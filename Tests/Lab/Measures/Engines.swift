import BaizeDriver
import BaizeLaboratory
import Foundation

extension Measure {
  /// A journal in PostgreSQL beside one in a file: the same load on both, in turns, each with one core for the daemon's threads.
  static let engines = Measure(
    "engines", "A journal in PostgreSQL beside one in a file.",
    summary:
      "Compares daemons whose journal is an SQLite file with daemons whose journal is in a PostgreSQL server of its own on "
      + "the same disk, both strict and with fsync on, in turns.",
    options: [.tables, .players, .directory, .seconds, .runs], short: "--runs 1 --seconds 1"
  ) { lab in
    for window in [16, 1] {
      try lab.rounds("window \(window)") { _ in
        let (file, _) = try load(window, inPostgres: false, lab)
        let (database, commits) = try load(window, inPostgres: true, lab)
        func add(_ name: String, _ value: Double, _ unit: String, digits: Int = 0) {
          lab.add("window \(window), \(name)", value, unit, digits: digits)
        }
        add("SQLite", file.deliveriesPerSecond, "deliveries per second")
        add("PostgreSQL", database.deliveriesPerSecond, "deliveries per second")
        add("ratio", database.deliveriesPerSecond / max(1, file.deliveriesPerSecond), "times", digits: 2)
        add("SQLite's answer", file.total.toOwn.microseconds(0.5), "µs from submit to one's own, median")
        add("PostgreSQL's answer", database.total.toOwn.microseconds(0.5), "µs")
        if let commits { add("a commit", commits.medianMicroseconds, "µs by the daemon's own clock, median") }
      }
    }
  }

  private static func load(
    _ window: Int, inPostgres: Bool, _ lab: Lab
  ) throws -> (result: LoadResult, commits: CommitReport?) {
    let folder = try TemporaryFolder(in: lab.text(.directory))
    let cluster = inPostgres ? try PostgresCluster(in: lab.text(.directory), isDurable: true) : nil
    let environment = try cluster.map { $0.environment(try $0.makeDatabase()) } ?? [:]
    for (name, value) in environment { setenv(name, value, 1) }
    let journal = inPostgres ? "postgresql" : folder.path("journal.sqlite")
    return try lab.withDaemon(journal: journal, shards: 1, isAlone: true, logLevel: "info") { daemon in
      let result = try lab.load(on: daemon) { $0.window = window }
      daemon.stop()
      return (result, CommitReport(inLog: daemon.errors))
    }
  }
}
