import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire

extension Measure {
  /// The daemon's memory for a connection that has joined and does nothing, tables included.
  static let idle = Measure(
    "idle", "The memory for idle connections.",
    summary: "Measures the daemon's memory for each of many clients that join and only send heartbeats.",
    options: [.connections.standard(15_000), .webSocket, .runs.standard(3)],
    notes: [
      "The memory is the growth of what the daemon has allocated (RssAnon), tables included: four players to a table of type grid. "
        + "Each run is a heartbeat of every client."
    ],
    short: "--connections 2000 --runs 1"
  ) { lab in
    let (count, usesWebSocket) = (lab[.connections], lab.has(.webSocket))
    try requireDescriptors(for: count, of: DescriptorLimit.current)
    let tables = (count + 3) / 4
    let journal = try TemporaryFolder()
    try lab.withDaemon(
      journal: journal.path("journal.sqlite"), arguments: usesWebSocket ? ["--http", "127.0.0.1:0"] : []
    ) {
      daemon in
      let empty = try daemon.usage.anonymous
      let crowd = try Driver(count: count, usesWebSocket: usesWebSocket) {
        Hello(table: "idle-\($0 % tables)", tableType: "grid", name: "idle")
      }
      // A listener's backlog has room for more.
      try crowd.join(usesWebSocket ? daemon.httpAddress : daemon.address, connectingMax: 512)
      try lab.rounds("\(count) connections") { _ in
        try crowd.ping()
        // Until the work after the pings is done.
        try crowd.run(seconds: 1)
        if let failure = crowd.faults.failure { throw RunFailure(failure) }
        lab.add(
          "memory", Double(try daemon.usage.anonymous - empty) / Double(count) / 1024, "KiB a connection", digits: 2)
      }
    }
    // What the daemon keeps once, shared by fewer connections, is more for each.
    lab.limit("memory", atMost: count < 10_000 ? 6.5 : 4.6)
  }

  /// - Throws: ``RunFailure`` if the connections need more descriptors than the system grants.
  static func requireDescriptors(for connections: Int, of granted: Int) throws(RunFailure) {
    // Either program needs some besides those of connections.
    let reserve = 512
    guard connections + reserve > granted else { return }
    throw RunFailure(
      "\(connections) connections need \(connections + reserve) descriptors, and the system grants \(granted) (ulimit -Hn): "
        + "--connections \(max(0, granted - reserve)) would do")
  }
}
