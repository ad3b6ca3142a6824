import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWorkload
import Foundation

extension Measure {
  private static let ends = NumberOption(
    "--ends", "N", "How often the node that serves is ended.", in: 1...100_000, standard: 30)
  private static let nodeCount = NumberOption("--nodes", "N", "The number of nodes.", in: 2...16, standard: 3)

  /// Ends of the node that serves, of several with one journal in PostgreSQL, while clients play: another one takes over, nothing is lost,
  /// and nothing is done twice.
  static let nodes = Measure(
    "nodes", "Ends of the node that serves, of several with one journal.",
    summary:
      "Starts nodes with one journal in a PostgreSQL server of its own, ends the one that serves again and again while clients play, "
      + "and checks that nothing that a client received is lost.",
    options: [
      ends, nodeCount, .seed, .tables.standard(64), .players.standard(4), .rate.standard(2_000),
    ],
    notes: [
      "The node that serves is killed, stopped by SIGTERM, suspended until another one serves, or killed and started again at once; now "
        + "and then PostgreSQL is killed, too. A node that has ended starts again as a waiting one. At the end every operation and its "
        + "verdict are compared with the tables."
    ],
    short: "--ends 6 --tables 16"
  ) { lab in
    let seed = try lab.seed()
    var random = RandomSource(seed: seed)
    var group = try NodeGroup(count: lab[nodeCount])
    let play = try LedgerPlay.joining(
      group.nodes[0].daemon,
      LedgerPlayOptions {
        ($0.tables, $0.players, $0.seed, $0.operationsPerCut) = (lab[.tables], lab[.players], seed, 0)
        $0.tableTypes = ["list?items=20", "grid", "kanban?cards=10"]
        $0.rate = UInt64(max(1, lab[.rate] / (lab[.tables] * lab[.players])))
        $0.others = Array(group.addresses.dropFirst())
        ($0.backoffMilliseconds, $0.backoffMillisecondsMax) = (100, 5_000)
        $0.timeoutSeconds = Double(HangGuard.seconds)
      })
    let began = MonotonicClock.now()
    var serverKills = 0
    var times: [NodeGroup.End: [Double]] = [:]
    for _ in 0..<lab[ends] {
      try play.play(seconds: 1 + Double(random.below(2_000)) / 1e3)
      if random.below(5) == 0 {
        // No node takes over: the one that serves waits for it, if it is quick.
        try group.restartServer()
        serverKills += 1
        try play.play(seconds: 1)
      }
      let end = NodeGroup.End.allCases[random.below(NodeGroup.End.allCases.count)]
      let reconnects = play.counts.reconnects
      let ended = MonotonicClock.now()
      try group.end(end)
      try play.wait(seconds: Double(HangGuard.seconds), for: "everyone to be back") {
        try group.isAnyoneServing() && play.isEveryoneLive && play.counts.reconnects - reconnects >= play.playerCount
      }
      times[end, default: []].append(milliseconds(since: ended) / 1e3)
      try play.play(seconds: Double(random.below(2_000)) / 1e3)
      try group.startEnded()
    }
    try play.play(seconds: 1)
    play.finish(at: try group.serving())
    let result = ReconnectResult(play: play, seconds: milliseconds(since: began) / 1e3)
    Console.print("\(result.text)\n\(serverKills) kills of PostgreSQL")
    for end in NodeGroup.End.allCases {
      guard let all = times[end], let most = all.max() else { continue }
      lab.add("\(end)", all, "s until everyone was back", digits: 2)
      lab.add("\(end), at most", most, "s until everyone was back", digits: 2)
      lab.limit("\(end), at most", atMost: end.secondsMax, assumesQuiet: true)
    }
    lab.add("operations", Double(play.submittedCount), "")
    lab.add("faults", Double(result.faults.total), "")
    lab.require(result.faults.isEmpty, "nothing is lost, and nothing is done twice")
    try group.stop()
  }
}

/// Nodes with one journal, each at an address of its own.
private struct NodeGroup {
  /// What becomes of the node that serves.
  enum End: CaseIterable, CustomStringConvertible {
    case killed, stopped, suspended, restarted

    var description: String {
      switch self {
      case .killed: "killed"
      case .stopped: "stopped"
      case .suspended: "suspended"
      case .restarted: "restarted"
      }
    }

    /// The time after which everyone is back, in seconds.
    var secondsMax: Double {
      switch self {
      // A lease, and then what clients wait before they try again.
      case .killed: 8
      // Clients notice by their heartbeat that nothing comes any more.
      case .suspended: 30
      // Clients come back a second after a stop at the earliest.
      case .stopped: 3
      case .restarted: 2
      }
    }
  }

  struct Node {
    let name: String
    var daemon: ChildProcess
    /// Where it listens when it serves.
    var address: SocketAddress
    var isSuspended = false
  }

  private(set) var nodes: [Node] = []
  private let cluster: PostgresCluster
  private let environment: [String: String]

  var addresses: [SocketAddress] { nodes.map(\.address) }

  init(count: Int) throws {
    cluster = try PostgresCluster(isDurable: true)
    environment = cluster.environment(try cluster.makeDatabase())
    let first = try start("n1", at: LedgerPlay.daemonAddress, waits: true)
    nodes.append(Node(name: "n1", daemon: first, address: first.address))
    for number in 2...count {
      // The same port of another address of this machine.
      let text = "127.0.0.\(number + 1):\(first.address.port)"
      nodes.append(
        Node(
          name: "n\(number)", daemon: try start("n\(number)", at: text, waits: false),
          address: try SocketAddress(parsing: text)))
    }
  }

  /// - Parameter waits: Whether it listens before this returns.
  private func start(_ name: String, at address: String, waits: Bool) throws -> ChildProcess {
    try ChildProcess(
      "baized",
      ["--listen", address, "--http", "off", "--journal", "postgresql", "--node", name, "--log-level", "warning"],
      marker: waits ? ChildProcess.daemonMarker : nil, environment: environment, keepsEarlySignals: true)
  }

  /// The node that serves: the one that has listened last.
  private func servingIndex() -> Int? {
    nodes.firstIndex {
      !$0.isSuspended && $0.daemon.isRunning && $0.daemon.rest(ofLine: ChildProcess.daemonMarker) != nil
    }
  }

  func isAnyoneServing() throws -> Bool { servingIndex() != nil }

  func serving() throws -> SocketAddress {
    guard let index = servingIndex() else { throw RunFailure("no node serves") }
    return nodes[index].address
  }

  /// Ends the node that serves. One that is suspended goes on when the ended ones are started.
  mutating func end(_ end: End) throws {
    guard let index = servingIndex() else { throw RunFailure("no node serves") }
    switch end {
    case .killed: nodes[index].daemon.send(SIGKILL)
    case .stopped: nodes[index].daemon.send(SIGTERM)
    case .suspended:
      nodes[index].daemon.send(SIGSTOP)
      nodes[index].isSuspended = true
    case .restarted:
      nodes[index].daemon.send(SIGKILL)
      _ = nodes[index].daemon.waitForExit()
      try startEnded()
    }
  }

  /// Starts the nodes that have ended, as waiting ones.
  mutating func startEnded() throws {
    for index in nodes.indices {
      if nodes[index].isSuspended {
        nodes[index].daemon.send(SIGCONT)
        let code = nodes[index].daemon.waitForExit()
        guard code == 1 else {
          throw RunFailure("a node that was suspended ended with \(code): \(nodes[index].daemon.errors)")
        }
        nodes[index].isSuspended = false
      }
      guard !nodes[index].daemon.isRunning else { continue }
      nodes[index].daemon = try start(nodes[index].name, at: "\(nodes[index].address)", waits: false)
    }
  }

  /// Kills PostgreSQL, and starts it at once.
  func restartServer() throws {
    cluster.kill()
    try cluster.start()
  }

  func stop() throws {
    for node in nodes {
      guard node.daemon.stop() == 0 else {
        throw RunFailure("node '\(node.name)' did not stop cleanly:\n\(node.daemon.errors)")
      }
    }
  }
}
