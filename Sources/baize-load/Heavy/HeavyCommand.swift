import BaizeCommandLine

extension MeasureCommand {
  /// `baize-load heavy`: the effect of the heaviest legal operations on others.
  static var heavy: MeasureCommand {
    let tables = NumberOption.tables()
    let players = NumberOption.players()
    let rate = NumberOption(
      "--rate", "N", "Operations per second of all players together.", in: 1...1_000_000, "operations per second",
      standard: 4_000
    ) { $0.rate = Double($1) }
    let senders = NumberOption(
      "--senders", "N", "The number of senders of heavy operations.", in: 1...100, standard: 10)
    let items = NumberOption(
      "--items", "N", "The number of items at the table of each sender.", in: 10_000...1_000_000, standard: 100_000)
    let runs = NumberOption.runs("Rounds: a run without and a run with the senders; with --single, runs of each.")
    let single = CommandOption(
      "--single", nil, "Measures the heaviest operations one by one, without sockets, on a table of 1,000,000 items.")
    let load = [tables, players, rate, NumberOption.seconds]
    return MeasureCommand(
      "heavy", "The effect of the heaviest legal operations on others.",
      summary: "Measures the effect of senders of the heaviest legal operations on other players.",
      options: [tables, players, rate, senders, items, NumberOption.seconds, runs].map(\.option) + [single],
      notes: [
        "Every run has a daemon of its own, with one shard on one core; the harness uses another. Operations are submitted at a "
          + "steady rate, and timed from submit to the last of the table's players. Each sender keeps sixteen operations "
          + "in flight at a table of its own, and each operation moves as many items as it may name. The limit: a p99 of the "
          + "others that is higher by at most \(Int(HeavyMeasure.riseMax)) µs, as the median of all rounds.",
        "With \(single.flag) the limit is \(Int(SingleOperations.microsecondsMax)) µs for the median of each operation.",
      ]
    ) { parsed in
      if parsed.has(single.flag) {
        var operations = try SingleOperations(
          items: items(parsed, standard: 1_000_000), runs: runs(parsed), report: Console.print)
        return try operations.perform()
      }
      return try HeavyMeasure(
        options: LoadOptions(parsed, load), senders: senders(parsed), items: items(parsed), runs: runs(parsed),
        report: Console.print
      ).perform()
    }
  }
}
