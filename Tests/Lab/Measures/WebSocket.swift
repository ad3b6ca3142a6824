import BaizeDriver

extension Measure {
  /// The cost of WebSocket: the same load over WebSocket and over TCP, in turns.
  static let webSocket = Measure(
    "websocket", "The cost of WebSocket.",
    summary: "Compares clients over WebSocket with clients over TCP, in turns, at windows of 16 and of 1.",
    options: [.tables, .players, .seconds, .runs],
    notes: ["Every move must be accepted and delivered once to each member, and every copy must be the daemon's."],
    short: "--runs 1 --seconds 1"
  ) { lab in
    for window in [16, 1] {
      let (tcp, webSocket) = ("TCP at window \(window)", "WebSocket at window \(window)")
      try lab.rounds("window \(window)") { _ in
        let results = try [false, true].map { usesWebSocket in
          try lab.withDaemon(shards: 1, isAlone: true, arguments: ["--http", "127.0.0.1:0"]) { daemon in
            try lab.load(on: daemon) {
              ($0.window, $0.usesWebSocket, $0.source, $0.isTimed) = (window, usesWebSocket, .routes, false)
            }
          }
        }
        lab.add(tcp, results[0])
        lab.add(webSocket, results[1])
        let costs = results.map { $0.daemonNanosecondsPerDelivery ?? .nan }
        lab.add(
          "ratio at window \(window)", results[1].deliveriesPerSecond / max(1, results[0].deliveriesPerSecond),
          "times the deliveries", digits: 2)
        lab.add("ratio at window \(window), time", costs[1] / costs[0], "times the processor time", digits: 2)
      }
      lab.limit("ratio at window \(window)", atLeast: 0.8, assumesQuiet: true)
    }
  }
}
