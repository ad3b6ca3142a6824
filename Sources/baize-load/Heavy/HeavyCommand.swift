import BaizeCommandLine

/// `baize-load heavy`: the effect of the heaviest legal operations on others.
enum HeavyCommand {
  private static let tables = NumberOption.tables()
  private static let players = NumberOption.players()
  private static let rate = NumberOption(
    "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
    standard: 4_000)
  private static let senders = NumberOption("--senders", "N", "Senders of heavy operations.", in: 1...100, standard: 10)
  private static let items = NumberOption(
    "--items", "N", "Items at the table of each sender.", in: 1...1_000_000, standard: 100_000)
  private static let runs = NumberOption.runs(
    "Rounds: a run without and a run with the senders; with --single, runs of each.")
  private static let single = CommandOption(
    "--single", nil, "Measures the heaviest operations one by one, without sockets, on a table of 1,000,000 items.")

  private static let command = MeasureCommand.command(
    "heavy", summary: "Measures the effect of senders of the heaviest legal operations on other players.",
    options: [tables, players, rate, senders, items, NumberOption.seconds, runs].map(\.option) + [single],
    notes: [
      "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
        + "steady rate, and timed from submit to the last of the table's players. Each sender keeps sixteen operations "
        + "in flight at a table of its own, and each operation moves as many items as it may name. The limit: a p99 of the "
        + "others that is higher by at most \(Int(HeavyMeasure.riseMax)) µs, as the median of all rounds.",
      "With \(single.flag) the limit is \(Int(SingleOperations.microsecondsMax)) µs for the median of each operation.",
    ])

  static func run(_ arguments: ArraySlice<String>) -> Never {
    MeasureCommand.perform(command, arguments) { parsed in
      if parsed.has(single.flag) {
        var operations = try SingleOperations(
          items: try parsed.number(items.flag, in: items.range) ?? 1_000_000, runs: try runs.read(parsed),
          report: Console.print)
        return try operations.perform()
      }
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
