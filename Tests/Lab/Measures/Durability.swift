import BaizeDriver
import BaizeLaboratory
import Foundation

extension Measure {
  /// The cost of durability: the same load on daemons that commit every diff before they send it, and on daemons without a
  /// journal, in turns, each with one core for all its threads.
  static let durability = Measure(
    "durability", "The cost of a journal.",
    summary: "Compares daemons that commit everything before they send it (--durability strict) with daemons without a "
      + "journal (--durability memory), in turns, each with one core for all its threads.",
    options: [.tables, .players, .directory, .seconds, .runs],
    notes: [
      "The directory should be on a real disk. On a tmpfs, so that no disk is measured, the limits are others: at both windows "
        + "at least 75 % of the deliveries."
    ],
    short: "--runs 1 --seconds 1"
  ) { lab in
    for window in [16, 1] {
      try lab.rounds("window \(window)") { _ in
        let (memory, _) = try load(window, isStrict: false, lab)
        let (strict, commits) = try load(window, isStrict: true, lab)
        guard let commit = commits?.medianMicroseconds else { throw RunFailure("the daemon reported no commits") }
        let answers = [memory, strict].map { $0.total.toOwn.microseconds(0.5) }
        func add(_ name: String, _ value: Double, _ unit: String, digits: Int = 0) {
          lab.add("window \(window), \(name)", value, unit, digits: digits)
        }
        add("memory", memory.deliveriesPerSecond, "deliveries per second")
        add("strict", strict.deliveriesPerSecond, "deliveries per second")
        add("ratio", strict.deliveriesPerSecond / max(1, memory.deliveriesPerSecond), "times", digits: 2)
        add("memory's answer", answers[0], "µs from submit to one's own, median")
        add("strict's answer", answers[1], "µs")
        add("added", answers[1] - answers[0], "µs")
        add("a commit", commit, "µs by the daemon's own clock, median")
        add("added commits", (answers[1] - answers[0]) / max(1, commit), "times", digits: 2)
      }
    }
    let isOnTmpfs = isOnTmpfs(lab.text(.directory) ?? FileManager.default.temporaryDirectory.path)
    lab.limit("window 16, ratio", atLeast: isOnTmpfs ? 0.75 : 0.6, assumesQuiet: true)
    if isOnTmpfs {
      lab.limit("window 1, ratio", atLeast: 0.75, assumesQuiet: true)
    } else {
      lab.limit("window 1, added commits", atMost: 2, assumesQuiet: true)
    }
  }

  private static func load(
    _ window: Int, isStrict: Bool, _ lab: Lab
  ) throws -> (result: LoadResult, commits: CommitReport?) {
    let folder = try TemporaryFolder(in: lab.text(.directory))
    let journal = isStrict ? folder.path("journal.sqlite") : nil
    return try lab.withDaemon(journal: journal, shards: 1, isAlone: true, logLevel: "info") { daemon in
      let result = try lab.load(on: daemon) { $0.window = window }
      daemon.stop()
      return (result, CommitReport(inLog: daemon.errors))
    }
  }

  /// Whether a folder is on a tmpfs, by Linux' list of mounts.
  private static func isOnTmpfs(_ folder: String) -> Bool {
    let path = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
    let mounts = (try? String(contentsOfFile: "/proc/mounts", encoding: .utf8)) ?? ""
    let fields: [[Substring]] = mounts.split(separator: "\n").map { $0.split(separator: " ") }
    let nearest = fields.filter { $0.count > 2 && ($0[1] == "/" || path.hasPrefix("\($0[1])/")) }
      .max { $0[1].count < $1[1].count }
    return nearest?[2] == "tmpfs"
  }
}

/// A daemon's log line about its commits when it stops: `journal: N commits, median M µs, p99 P µs`.
struct CommitReport: Equatable {
  let medianMicroseconds: Double

  /// Parses the last such line of a log; `nil` where there is none.
  init?(inLog text: String) {
    let lines = text.matches(of: /journal: [0-9]+ commits, median ([0-9.]+) µs/)
    guard let median = lines.last.flatMap({ Double($0.1) }) else { return nil }
    medianMicroseconds = median
  }
}
