import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire

extension Measure {
  /// The effect of senders of the heaviest legal operations on others on the same shard (I11): the same load on daemons of
  /// their own, without and with the senders in turn.
  static let heavy = Measure(
    "heavy", "The effect of the heaviest legal operations on others.",
    summary: "Measures the effect of senders of the heaviest legal operations on other players.",
    options: [.tables, .players, .rate, senders, .items.standard(100_000), .seconds, .runs],
    notes: [
      "Operations are submitted at a steady rate, and timed from submit to the last of the table's players. Each sender keeps "
        + "sixteen operations in flight at a table of its own, and each of those moves as many items as it may name."
    ],
    short: "--senders 4 --items 20000 --runs 1 --seconds 1"
  ) { lab in
    try lab.rounds { _ in
      let (alone, _) = try load(beside: 0, lab)
      let (beside, heavyPerSecond) = try load(beside: lab[senders], lab)
      for (name, share) in [("p50", 0.5), ("p99", 0.99)] {
        let (calm, busy) = (alone.total.toLast.microseconds(share), beside.total.toLast.microseconds(share))
        lab.add("\(name) alone", calm, "µs")
        lab.add("\(name) beside the senders", busy, "µs")
        lab.add("\(name) rises by", busy - calm, "µs")
      }
      lab.add("heavy operations", heavyPerSecond, "per second")
    }
    lab.limit("heavy operations", atLeast: 1)
    lab.limit("p99 rises by", atMost: 2_000, assumesQuiet: true)
  }

  private static let senders = NumberOption(
    "--senders", "N", "The number of senders of heavy operations.", in: 1...100, standard: 10)

  private static func load(beside senders: Int, _ lab: Lab) throws -> (result: LoadResult, heavyPerSecond: Double) {
    try lab.withDaemon(shards: 1, isAlone: true) { daemon in
      let warmUp = 3.0
      let seconds = warmUp + Double(lab[.seconds])
      let session = try lab.join(daemon) { ($0.tableType, $0.warmUpSeconds) = ("list?items=52", warmUp) }
      let end = MonotonicClock.now() + UInt64(seconds * 1e9)
      let process =
        try senders == 0
        ? nil
        : LabPart.senders.start(
          ["\(daemon.address)", "\(senders)", "\(lab[.items])", "\(end)"], marker: LabPart.sendersMarker)
      let result = try lab.measure(session)
      process?.waitForExit()
      let heavy = process?.output.split(whereSeparator: \.isWhitespace).last.flatMap { Double($0) } ?? 0
      return (result, heavy / seconds)
    }
  }
}

extension LabPart {
  static let sendersMarker = "senders aim at "

  /// Sends the heaviest legal operations, at the lowest priority. Its arguments are an address, the numbers of senders and of
  /// items, and the end on the monotonic clock.
  static let senders = LabPart("senders") { words in
    guard words.count == 4, let count = Int(words[1]), let items = Int(words[2]), let end = UInt64(words[3]) else {
      throw RunFailure("needs an address, two numbers and a time")
    }
    let address = try SocketAddress(parsing: words[0])
    Affinity.lowerPriority()
    let driver = try Driver(count: count, players: 1) {
      Hello(table: "heavy-\($0)", tableType: "list?items=\(items)", name: "sender")
    }
    Console.print("\(sendersMarker)\(address)")
    try driver.join(address)
    driver.submit(.blocks, window: 16)
    try driver.loop.run(driver, until: end)
    if let failure = driver.faults.failure { throw RunFailure(failure) }
    Console.print("\(driver.counters.accepted)")
  }
}
