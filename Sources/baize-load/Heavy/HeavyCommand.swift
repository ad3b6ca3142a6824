import BaizeCommandLine

/// `baize-load heavy`: the effect of the heaviest legal operations on others.
enum HeavyCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
    standard: 4_000)
  private static let senders = NumberOption(
    "--senders", "N", "The number of senders of heavy operations.", in: 1...100, standard: 10)
  private static let items = NumberOption(
    "--items", "N", "The number of items at the table of each sender.", in: 1...1_000_000, standard: 100_000)
  private static let runs = NumberOption.runs("The number of rounds of a run without and a run with the senders.")

  private static let command = MeasureCommand.command(
    "heavy", summary: "Measures the effect of senders of the heaviest legal operations on other players.",
    options: [tables, players, rate, senders, items, NumberOption.seconds, runs].map(\.option),
    notes: [
      "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
        + "steady rate, and timed from submit to the last of the table's players. Each sender keeps sixteen operations "
        + "in flight at a table of its own, and each operation moves as many items as it may name. The limit: a p99 of the "
        + "others that is higher by at most \(Int(HeavyMeasure.riseMax)) µs, as the median of all rounds."
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      var options = LoadOptions()
      options.tables = try tables.read(parsed)
      options.players = try players.read(parsed)
      options.rate = Double(try rate.read(parsed))
      options.seconds = Double(try NumberOption.seconds.read(parsed))
      return try HeavyMeasure(
        options: options, senders: try senders.read(parsed), items: try items.read(parsed), runs: try runs.read(parsed),
        report: Console.print
      ).perform()
    }
  }
}
