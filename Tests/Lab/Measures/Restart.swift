import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWorkload
import Foundation

extension Measure {
  private static let clients = NumberOption(
    "--clients", "N", "The number of clients.", in: 1...20_000, standard: 1_000)
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of each client.", in: 1...1_000, "operations per second", standard: 1)

  /// The time until every client is back after a restart without notice, under load.
  static let restart = Measure(
    "restart", "A restart of the daemon under load.",
    summary:
      "Ends a daemon by SIGTERM while clients play, starts the next one with its journal and address, and measures the time "
      + "until every client is back. Nothing may be lost.",
    options: [clients, rate, .runs, .seed], short: "--clients 200 --runs 2"
  ) { lab in
    let folder = try TemporaryFolder()
    func start(_ address: String) throws -> ChildProcess {
      try .daemon(listening: address, journal: folder.path("journal.sqlite"), logLevel: "warning")
    }
    var daemon = try start(LedgerPlay.daemonAddress)
    let seed = try lab.seed()
    let play = try LedgerPlay.joining(
      daemon,
      LedgerPlayOptions {
        ($0.players, $0.tables) = (4, (lab[clients] + 3) / 4)
        $0.tableTypes = ["list?items=20", "grid", "kanban?cards=10"]
        ($0.rate, $0.seed, $0.operationsPerCut) = (UInt64(lab[rate]), seed, 0)
      })
    try lab.rounds { _ in
      try play.play(seconds: 2)
      let reconnects = play.counts.reconnects
      let began = MonotonicClock.now()
      try play.end(daemon, by: SIGTERM)
      let ended = MonotonicClock.now()
      daemon = try start("\(play.options.address)")
      let listening = MonotonicClock.now()
      try play.wait(seconds: Double(HangGuard.seconds), for: "everyone to be back") {
        play.isEveryoneLive && play.counts.reconnects - reconnects >= play.playerCount
      }
      lab.add("back", milliseconds(since: began) / 1e3, "s after SIGTERM", digits: 2)
      lab.add("ended", Double(ended - began) / 1e9, "s after SIGTERM", digits: 2)
      lab.add("start", Double(listening - ended) / 1e9, "s until the next one listens", digits: 2)
    }
    try play.play(seconds: 1)
    play.finish()
    let result = ReconnectResult(play: play, seconds: Double(lab[.runs]))
    guard result.faults.isEmpty else { throw RunFailure("something was lost:\n\(result.text)") }
    daemon.stop()
    Console.print("\(play.playerCount) clients, \(play.submittedCount) operations, none lost")
    lab.limit("back", atMost: 2, assumesQuiet: true)
  }
}
