import BaizeCommandLine
import BaizeTransport

/// `baize-load stalled`: the effect of stalled readers and of crowds on other clients.
enum StalledCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players("Players at each table who read.")
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of all of them together.", in: 1...1_000_000, "operations per second",
    standard: 4_000)
  private static let crowd = NumberOption("--crowd", "N", "Connections of a crowd.", in: 1...10_000, standard: 2_000)
  private static let runs = NumberOption.runs("Rounds: runs of each condition, in turn.")

  private static let command = MeasureCommand.command(
    "stalled",
    summary: "Measures what those who play feel of readers who do not read, and of crowds that come and go.",
    options: [tables, players, rate, crowd, NumberOption.seconds, runs].map(\.option),
    notes: [
      "Every run has a daemon of its own, with one shard on one core; the harness has another. Operations come at a steady "
        + "rate whatever became of those before (an open loop), and the time is taken from submit to the last of the table's "
        + "readers. At the beginning of each run \(StalledMeasure.fillUpdates) texts of \(LoadState.fillTextBytes >> 10) KiB "
        + "are written at every table, so that whoever does not read is far over its bounds.",
      "Conditions:\n"
        + "  normal      Those who play, alone.\n"
        + "  stalled     A tenth of all connections sit at the same tables and read nothing after the snapshot.\n"
        + "  trickle     One reader takes a byte a second.\n"
        + "  storm       A crowd connects at once; three of four say hello to 64 tables of their own, the fourth nothing.\n"
        + "  disconnect  The same crowd, which has come before, is gone at once.",
      "A crowd is a process of the lowest priority on the harness' core. What it costs the machine is measured, too: the same "
        + "crowd comes to, and goes from, a listener of its own process while the daemon has no part in it (\"elsewhere\"). "
        + "A crowd's ratio is to that run; its ratio to normal is printed beside it.",
      "Then, at a daemon with short limits: whoever reads nothing, a byte a second, says nothing, or never said hello, is let go "
        + "while the others play on, and those who had a session come back to it.",
      "On a machine that others use, too, start it under `chrt --rr 1`: daemon and harness then wait for nobody else's turn, and "
        + "the crowd goes back to the lowest priority by itself.",
      "The marks: a p99 of the others of at most \(StalledMeasure.ratioMax) times, as the median of all rounds; and a peak of "
        + "resident memory of at most that of normal and, for each who does not read, what may be queued for it "
        + "(outboxHardBytes, one turn more, and the room that a queue keeps to grow). The exit code is 1 if the mark for the p99 "
        + "alone is missed, 2 if anything else is wrong: a copy that differs, memory, or someone who is not let go.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    let parsed = command.read(arguments)
    do {
      DescriptorLimit.raise()
      var options = LoadOptions()
      options.tables = try tables.read(parsed)
      options.players = try players.read(parsed)
      options.rate = Double(try rate.read(parsed))
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      let measure = StalledMeasure(
        options: options, crowd: try crowd.read(parsed), runs: try runs.read(parsed), report: Console.print)
      let result = try measure.perform()
      if let file = parsed.text(MeasureCommand.json.flag) { try LoadCommand.write(result.json, to: file) }
      if !result.isSound { Console.refuse(command.name, "something is wrong besides time") }
      Console.end(result.isFastEnough ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
