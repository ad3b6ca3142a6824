import BaizeCommandLine
import BaizeHarness
import BaizeTransport
import BaizeWire

extension MeasureCommand {
  /// `baize-load idle`: the cost of an idle connection.
  static var idle: MeasureCommand {
    let connections = NumberOption(
      "--connections", "N", "The number of connections.", in: 1...IdleMeasure.connectionsMax, standard: 15_000)
    let tables = CommandOption(
      "--tables", "T", "The number of tables to join.",
      standard: "one for every \(IdleMeasure.playersPerTableMax) connections")
    let type = CommandOption("--type", "TYPE", "The tables' type, options behind '?'.", standard: "grid")
    let webSocket = CommandOption("--websocket", nil, "Connects by WebSocket.")
    let rounds = NumberOption(
      "--rounds", "N", "The number of heartbeats of each client, a second apart.", in: 1...1_000, standard: 3)
    return MeasureCommand(
      "idle", "The memory for idle connections.",
      summary: "Measures the daemon's memory for each of many clients that join and only send heartbeats.",
      options: [connections.option, tables, type, webSocket, rounds.option],
      notes: [
        "Starts baized from the folder of baize-load, with a journal in the system's temporary directory. "
          + "The first \(IdleMeasure.playersPerTableMax) at a table are players, the others spectators. Both programs raise their "
          + "descriptor limit as far as the system allows; if that is not enough, an error names the number needed.",
        "The memory is the growth of the daemon's resident size (VmRSS), tables included. The limit: at most "
          + "\(IdleMeasure.bytesPerConnectionMax) bytes for each connection. The exit code is 1 if it is exceeded.",
      ]
    ) { parsed in
      try IdleMeasure(
        connections: connections(parsed), tables: parsed.number(tables.flag, in: 1...IdleMeasure.connectionsMax),
        tableType: parsed.text(type.flag) ?? "grid", usesWebSocket: parsed.has(webSocket.flag)
      ).perform(rounds: rounds(parsed))
    }
  }
}

/// Measures the daemon's memory for a connection that has joined and does nothing.
struct IdleMeasure {
  let connections: Int
  let tables: Int
  let tableType: String
  let usesWebSocket: Bool

  /// The limit, including tables.
  static let bytesPerConnectionMax = 8 << 10
  /// The same number as at the tables of `baize-load`.
  static let playersPerTableMax = 4
  /// The approximate number of ports for outgoing connections of one address.
  static let connectionsMax = 28_000
  /// The maximum number of descriptors that either program needs besides those of connections.
  static let descriptorReserve = 512
  private static let timeoutSeconds = 120.0
  /// A listener's backlog has room for more.
  private static let connectingMax = 512

  /// - Parameter tables: `nil` for as many as needed for ``playersPerTableMax`` at each.
  init(connections: Int, tables: Int?, tableType: String, usesWebSocket: Bool = false) {
    self.connections = connections
    self.tables = tables ?? (connections + Self.playersPerTableMax - 1) / Self.playersPerTableMax
    self.tableType = tableType
    self.usesWebSocket = usesWebSocket
  }

  func perform(rounds: Int) throws -> MeasureCommand.Result {
    try check(descriptors: DescriptorLimit.current)
    let journal = try TemporaryFolder()
    let daemon = try ChildProcess.daemon(
      journal: journal.path("journal.sqlite"), arguments: usesWebSocket ? ["--http", "127.0.0.1:0"] : [])
    defer { daemon.stop() }
    let empty = daemon.usage.residentBytes
    let crowd = try Crowd(count: connections, usesWebSocket: usesWebSocket, hello: hello)
    let nanoseconds = try crowd.join(
      usesWebSocket ? daemon.httpAddress : daemon.address, connectingMax: Self.connectingMax,
      seconds: Self.timeoutSeconds)
    Console.print(
      "\(connections) connections at \(tables) tables of type \(tableType) after \(nanoseconds / 1_000_000) ms")
    var isSound = false
    var json: [String: Any] = [:]
    for round in 1...rounds {
      let answered = try crowd.ping(seconds: Self.timeoutSeconds)
      // Waits until the work after the pings is done.
      try crowd.run(seconds: 1)
      if let failure = crowd.failure { throw RunFailure(failure) }
      guard let empty, let full = daemon.usage.residentBytes else {
        throw RunFailure("this system does not report the memory of a process (/proc/PID/status)")
      }
      let bytes = max(0, full - empty) / connections
      Console.print(
        "round \(round) of \(rounds): all answered after \(answered / 1_000_000) ms; resident \(empty >> 10) KiB with none, "
          + "\(full >> 10) KiB with all: for each, tables included, \(bytes) bytes, of at most \(Self.bytesPerConnectionMax)"
      )
      isSound = bytes <= Self.bytesPerConnectionMax
      json = [
        "connections": connections, "tables": tables, "emptyBytes": empty, "residentBytes": full,
        "bytesPerConnection": bytes,
      ]
    }
    return (isSound, json)
  }

  /// Returns the hello of a connection.
  func hello(_ number: Int) -> Hello {
    let isPlayer = number / tables < Self.playersPerTableMax
    return Hello(
      table: "idle-\(number % tables)", tableType: tableType, name: "idle", role: isPlayer ? .player : .spectator)
  }

  /// - Throws: ``RunFailure`` if the connections need too many descriptors.
  func check(descriptors: Int) throws(RunFailure) {
    guard connections + Self.descriptorReserve > descriptors else { return }
    throw RunFailure(
      "\(connections) connections need \(connections + Self.descriptorReserve) descriptors, and the system grants "
        + "\(descriptors) (ulimit -Hn): --connections \(max(0, descriptors - Self.descriptorReserve)) would do")
  }
}
