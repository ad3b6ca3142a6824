import BaizeCommandLine
import BaizeTransport

/// `baize-load stalled`: the effect of stalled readers and of crowds on other clients.
enum StalledCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players("The number of players at each table.")
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
    standard: 4_000)
  private static let crowd = NumberOption(
    "--crowd", "N", "The number of connections of a crowd.", in: 1...10_000, standard: 2_000)
  private static let runs = NumberOption.runs("The number of rounds of one run of each condition.")

  private static let command = MeasureCommand.command(
    "stalled",
    summary: "Measures the effect of stalled readers and of connection storms on players.",
    options: [tables, players, rate, crowd, NumberOption.seconds, runs].map(\.option),
    notes: [
      "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
        + "steady rate, whether or not earlier ones are answered (an open loop), and timed from submit to the last of the table's "
        + "readers. At the beginning of each run \(StalledMeasure.fillUpdates) texts of \(LoadState.fillTextBytes >> 10) KiB "
        + "are written at every table, so that clients that do not read are far over their limits.",
      "Conditions:\n"
        + "  normal      Only the players.\n"
        + "  stalled     A tenth of all connections join the same tables and read nothing after the snapshot.\n"
        + "  trickle     One spectator reads a byte per second.\n"
        + "  storm       A crowd connects at once; three of four join tables, the fourth sends nothing.\n"
        + "  disconnect  The same crowd, connected before, disconnects at once.",
      "A crowd is a process of the lowest priority on the harness' core. Its cost for the machine is measured, too: the same "
        + "crowd connects to, and disconnects from, a listener of its own process instead of the daemon (\"elsewhere\"). "
        + "A crowd's ratio is to that run; its ratio to normal is printed as well.",
      "Then, at a daemon with short limits: clients that read nothing, read a byte per second, send nothing or never sent a "
        + "hello are disconnected while others play, and those with a session resume it.",
      "On a machine with other load, start it under `chrt --rr 1`: daemon and harness then have priority, and the crowd sets "
        + "itself back to the lowest priority.",
      "The limits: a p99 of the others of at most \(StalledMeasure.ratioMax) times, as the median of all rounds; and a peak of "
        + "resident memory of at most that of normal plus, for each client that does not read, its maximum queue "
        + "(outboxHardBytes, one turn more, and spare capacity). The exit code is 1 if only the limit for the p99 is missed, "
        + "2 if anything else fails: a copy differs, too much memory is used, or a client is not disconnected.",
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
      if !result.isSound { Console.refuse(command.name, "a check other than the p99 has failed") }
      Console.end(result.isFastEnough ? .success : .failure)
    } catch {
      Console.refuse(command.name, "\(error)")
    }
  }
}
