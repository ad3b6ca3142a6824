import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport

extension Measure {
  /// The daemon on one shard, compared with a relay that sends the same bytes over the same transport without judging them.
  static let ceiling = Measure(
    "ceiling", "The daemon compared with a relay without tables.",
    summary:
      "Compares the daemon, on one shard, with a relay that sends the same bytes over the same transport without "
      + "judging anything.",
    options: [.tables, .players, onlyWindow, .seconds, .runs],
    notes: [
      "The moves are prepared, and of a diff only the header is read. Every move must be accepted and delivered once to each "
        + "member of its table, and every copy must be the daemon's."
    ],
    short: "--runs 1 --seconds 1"
  ) { lab in
    let ratios = [1: 0.9, 16: 0.5]
    for window in lab[onlyWindow] > 0 ? [lab[onlyWindow]] : ratios.keys.sorted() {
      let (daemon, ceiling) = ("daemon at window \(window)", "ceiling at window \(window)")
      try lab.rounds("window \(window)") { _ in
        let results = try measure(window: window, lab)
        lab.add(daemon, results.daemon)
        lab.add(ceiling, results.relay)
        let costs = [results.relay, results.daemon].map { $0.daemonNanosecondsPerDelivery ?? .nan }
        lab.add(
          "ratio at window \(window)", results.daemon.deliveriesPerSecond / max(1, results.relay.deliveriesPerSecond),
          "times the deliveries", digits: 2)
        lab.add("ratio at window \(window), time", costs[0] / costs[1], "times the processor time", digits: 2)
      }
      if let ratio = ratios[window] { lab.limit("ratio at window \(window)", atLeast: ratio, assumesQuiet: true) }
    }
  }

  private static let onlyWindow = NumberOption(
    "--window", "W", "Measures only this number of operations in flight; 0 for 1 and then 16.", in: 0...256, standard: 0
  )

  private static func measure(window: Int, _ lab: Lab) throws -> (daemon: LoadResult, relay: LoadResult) {
    func prepare(_ options: inout LoadOptions) {
      (options.window, options.source, options.isTimed) = (window, .routes, false)
    }
    let (original, daemon) = try lab.withDaemon(shards: 1, isAlone: true) { daemon in
      let session = try lab.join(daemon, prepare)
      return (session.driver, try lab.measure(session))
    }
    let relay = try LabPart.relay.start([], marker: LabPart.relayMarker, core: lab.daemonCore)
    defer { relay.stop() }
    return (daemon, try lab.measure(lab.join(relay, like: original, prepare)))
  }
}

extension LabPart {
  static let relayMarker = "relay listening on "

  static let relay = LabPart("relay") { _ in
    let relay = try Relay()
    let listener = try relay.loop.listen(on: .loopback(port: 0))
    if let address = relay.loop.address(of: listener) { Console.print("\(relayMarker)\(address)") }
    try relay.loop.run(relay)
  }
}
