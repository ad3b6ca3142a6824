import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport

extension Measure {
  /// The cost of a list's length: operations on a short and a long one, in turns, and what a newcomer to the long one costs
  /// its players.
  static let scaling = Measure(
    "scaling", "The cost of long lists.",
    summary: "Measures the cost of a list's length: operations on a short and a long list, and the effect of a new "
      + "spectator of the long one on its players.",
    options: [shortItems, longItems, .players, .window, .seconds, .runs],
    short: "--long-items 100000 --runs 1 --seconds 1"
  ) { lab in
    try lab.rounds { _ in
      let short = try lab.withDaemon(shards: 1) { try lab.load(on: $0) { play(lab[shortItems], &$0) } }
      let (long, joining) = try lab.withDaemon(shards: 1) { daemon in
        (try lab.load(on: daemon) { play(lab[longItems], &$0) }, try answers(besideNewcomerAt: daemon, lab))
      }
      let costs = [short, long].map { $0.daemonNanosecondsPerDelivery ?? .nan }
      lab.add("short", costs[0], "ns of the daemon per delivery")
      lab.add("long", costs[1], "ns of the daemon per delivery")
      lab.add("long/short", costs[1] / costs[0], "times in processor time", digits: 2)
      lab.add("short/long", short.deliveriesPerSecond / max(1, long.deliveriesPerSecond), "times in rate", digits: 2)
      lab.add("longest answer on the long list", Double(long.total.toOwn.maximum) / 1e6, "ms alone", digits: 1)
      lab.add("the same while a newcomer loads", Double(joining.maximum) / 1e6, "ms", digits: 1)
    }
  }

  private static let shortItems = NumberOption(
    "--short-items", "N", "Items of the short list.", in: 1...1_000_000, standard: 1_000)
  private static let longItems = NumberOption(
    "--long-items", "N", "Items of the long list.", in: 1...1_000_000, standard: 1_000_000)

  private static func play(_ items: Int, _ options: inout LoadOptions) {
    options.tables = 1
    options.tableType = "list?items=\(items)"
  }

  /// Returns the times to own answers while another client joins.
  private static func answers(besideNewcomerAt daemon: ChildProcess, _ lab: Lab) throws -> Histogram {
    let session = try lab.join(daemon) { play(lab[longItems], &$0) }
    let driver = session.driver
    driver.submit(.choices, window: session.options.window)
    try driver.run(seconds: 0.5)
    _ = driver.takeCounters()
    let (hasEnded, isLoaded) = (Flag(), Flag())
    let newcomer = try LoopThread(name: "newcomer") { [options = session.options] in
      if (try? Driver.readTable(options.tableName(0), at: options.address)) != nil { isLoaded.set() }
      hasEnded.set()
    }
    defer { newcomer.join() }
    try driver.run(seconds: Double(HangGuard.seconds), for: "a newcomer to load") { hasEnded.isSet }
    guard isLoaded.isSet else { throw RunFailure("the newcomer could not load the table") }
    return driver.takeCounters().toOwn
  }
}
