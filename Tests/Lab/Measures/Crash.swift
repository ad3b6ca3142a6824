import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWorkload
import Foundation

extension Measure {
  private static let kills = NumberOption(
    "--kills", "N", "How often the daemon is killed.", in: 1...100_000, standard: 50)
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of each player.", in: 1...100_000, "operations per second", standard: 400)
  private static let expectLoss = CommandOption(
    "--expect-loss", nil, "Expects lost operations, and fails if there are none.")
  private static let migrate = CommandOption(
    "--migrate", nil, "Changes the documents of all table types before each start, to which the tables move then.")
  private static let postgres = CommandOption(
    "--postgresql", nil, "Has the journal in a PostgreSQL server of its own, which is killed, too.")
  private static let keep = CommandOption("--keep", nil, "Keeps the journal; it is also kept after a failure.")

  /// Kills of a daemon while clients play and reconnect: all verdicts are compared with the tables in the end.
  static let crash = Measure(
    "crash", "Kills of the daemon while clients play.",
    summary: "Kills a daemon repeatedly while clients play, and checks that nothing that a client received is lost.",
    options: [
      kills, .seed, .directory, .durability, .tables.standard(LedgerPlayOptions().tables),
      .players.standard(LedgerPlayOptions().players), rate, expectLoss, migrate, postgres, keep,
    ],
    notes: [
      "The daemon is killed at random times, sometimes while it starts, and sometimes stopped by SIGTERM, and starts at once "
        + "at the same address. At the end every operation and its verdict are compared with the tables, and every table's "
        + "history is replayed from the journal. One of the table types has aliases and a clock, and each eighth daemon lives "
        + "long enough for its time to be up."
    ],
    short: "--kills 5"
  ) { lab in
    let (seed, expectsLoss, migrates) = (try lab.seed(), lab.has(expectLoss), lab.has(migrate))
    let mode = try lab.durability(expectsLoss ? .memory : .strict)
    let cluster = lab.has(postgres) ? try PostgresCluster(isDurable: true) : nil
    let environment = try cluster.map { $0.environment(try $0.makeDatabase()) }
    let files = try CrashFiles(
      in: lab.text(.directory), durability: mode, migrates: migrates, postgres: environment)
    files.folder.isKept = true
    defer { if files.folder.isKept { Console.print("the journal is in \(files.folder.url.path)") } }
    var daemon = try files.start(at: LedgerPlay.daemonAddress, waits: true)
    let play = try LedgerPlay.joining(
      daemon,
      LedgerPlayOptions {
        ($0.tables, $0.players, $0.rate, $0.seed) = (lab[.tables], lab[.players], UInt64(lab[rate]), seed)
        $0.tableTypes.append(CrashFiles.clocked)
        $0.movesPerEpoch = migrates ? 1 : 0
      })
    var random = RandomSource(seed: seed)
    var (killed, stopped, serverKills) = (0, 0, 0)
    let began = MonotonicClock.now()
    while killed < lab[kills] {
      try live(daemon, play, number: killed + stopped, &random)
      if let cluster, random.below(2) == 0 {
        // The daemon waits for it, and goes on.
        cluster.kill()
        serverKills += 1
        try play.play(seconds: Double(random.below(500)) / 1e3)
        try cluster.start()
        continue
      }
      let isKill = random.below(10) > 0
      try play.end(daemon, by: isKill ? SIGKILL : SIGTERM)
      if isKill { killed += 1 } else { stopped += 1 }
      daemon = try files.start(at: "\(play.options.address)", waits: false)
    }
    try play.waitForStart(of: daemon)
    try play.play(seconds: 1)
    play.finish()
    let result = ReconnectResult(play: play, seconds: milliseconds(since: began) / 1e3)
    Console.print("\(result.text)\n\(killed) kills, \(stopped) clean stops, \(play.timesUp) expiries")
    if cluster != nil { Console.print("\(serverKills) kills of PostgreSQL") }
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not stop cleanly:\n\(daemon.errors)") }
    if !expectsLoss { try files.replay(play.options) }
    if migrates { try files.checkDocuments(tables: play.options.tables) }
    lab.add("operations", Double(play.submittedCount), "")
    lab.add("faults", Double(result.faults.total), "")
    lab.require(
      result.faults.isEmpty != expectsLoss, expectsLoss ? "a lost operation is detected" : "nothing is lost")
    let canExpire = play.options.tables >= play.options.tableTypes.count && killed + stopped > 1
    if canExpire { lab.require(play.timesUp > 0, "a time was up") }
    files.folder.isKept = lab.has(keep) || lab.exitCode != 0 && !expectsLoss
  }

  /// Lets a daemon live for a while: mostly while it serves, sometimes while it starts, and now and then until a time is up.
  private static func live(
    _ daemon: ChildProcess, _ play: LedgerPlay, number: Int, _ random: inout RandomSource
  ) throws {
    let livesPerClockedLife = 8
    // Longer than the daemon may take to notice that a second has passed, and a client to come back.
    if number % livesPerClockedLife == 1 {
      try play.waitForStart(of: daemon)
      try play.play(seconds: 4)
    } else if random.below(100) < 15 {
      try play.play(seconds: Double(random.below(50)) / 1e3)
    } else {
      try play.waitForStart(of: daemon)
      try play.play(seconds: 0.02 + Double(random.below(1_180)) / 1e3)
    }
  }
}
