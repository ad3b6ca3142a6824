import BaizeDriver

extension Measure {
  /// The processor time of an operation on two shards, relative to one, under the same load.
  static let shards = Measure(
    "shards", "The daemon's processor time on two shards compared with one.",
    summary: "Compares the daemon's processor time per operation on two shards and on one, under the same load.",
    options: [.tables, .players, .window.standard(16), .seconds, .runs], short: "--runs 1 --seconds 1"
  ) { lab in
    try lab.rounds { _ in
      let costs = try [1, 2].map { shards in
        try lab.withDaemon(shards: shards) { try lab.load(on: $0).daemonNanosecondsPerOperation }
      }
      lab.add("one shard", costs[0], "ns of the daemon per operation")
      lab.add("two shards", costs[1], "ns of the daemon per operation")
      lab.add("ratio", costs[1] / costs[0], "times", digits: 2)
    }
    lab.limit("ratio", atMost: 1.1, assumesQuiet: true)
  }
}
