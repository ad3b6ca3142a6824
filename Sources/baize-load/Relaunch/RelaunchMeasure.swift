import BaizeCommandLine
import BaizeHarness
import BaizeSimulator
import BaizeTable
import BaizeTransport
import Foundation

extension MeasureCommand {
  /// `baize-load relaunch`: kills of clients in the middle of bursts.
  static var relaunch: MeasureCommand {
    let kills = NumberOption("--kills", "N", "How often a client is killed.", in: 1...100_000, standard: 200)
    let clients = NumberOption("--clients", "N", "The number of clients, all at one table.", in: 1...32, standard: 4)
    let daemonKills = NumberOption(
      "--daemon-kills", "N", "How often the daemon is killed in between.", in: 0...10_000, standard: 20)
    let seed = CommandOption("--seed", "S", "The seed of the times and of the choices.", standard: "a random one")
    let fault = CommandOption(
      "--expect-fault", "FAULT",
      "Gives the clients a faulty session store, and fails if nothing is found: 'early' sends operations before they are "
        + "stored, 'forget' keeps the last write but one.")
    return MeasureCommand(
      "relaunch", "Kills of clients in the middle of bursts.",
      summary:
        "Kills clients while they submit operations, starts them again with their session stores, and checks that every "
        + "operation has its effect once, that its outcome is known, and that every client keeps its session and seat.",
      options: [kills.option, clients.option, daemonKills.option, seed, fault],
      notes: [
        "An operation that a kill ended before its store had it must have no effect; one that the client had saved must be "
          + "known. The daemon is killed now and then, too, and starts again at the same address."
      ]
    ) { parsed in
      let expected: StoreFault? = try parsed.choice(fault.flag)
      return try RelaunchMeasure(
        kills: kills(parsed), clients: clients(parsed), daemonKills: daemonKills(parsed),
        seed: parsed.number(seed.flag, in: 0...UInt64.max) ?? .random(in: 1...1_000_000), fault: expected
      ).perform()
    }
  }
}

/// Kills clients and sometimes the daemon, and compares what the clients know with the table in the end.
struct RelaunchMeasure {
  let kills: Int
  let clients: Int
  let daemonKills: Int
  let seed: UInt64
  let fault: StoreFault?

  private static let table = "relaunch"
  private static let examplesMax = 20

  func perform() throws -> MeasureCommand.Result {
    Console.print("seed \(seed)")
    var random = RandomSource(seed: seed)
    let folder = try TemporaryFolder()
    let folders = (0..<clients).map { folder.path("client-\($0)") }
    for path in folders { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    var daemon = try startDaemon(at: SocketAddress(parsing: "127.0.0.2:0"), folder)
    let address = daemon.address
    func start(_ client: Int, _ mode: String) throws -> ChildProcess {
      try ChildProcess(
        "baize-load",
        [
          "relaunched", "\(address)", Self.table, "\(client)", folders[client], "\(random.next())", mode,
          fault?.rawValue ?? "-",
        ])
    }
    var processes = try (0..<clients).map { try start($0, "play") }
    try waitUntilJoined(processes, folders)
    var daemonsKilled = 0
    for kill in 1...kills {
      usleep(UInt32(20_000 + random.below(180_000)))
      if daemonsKilled * kills < daemonKills * kill {
        daemonsKilled += 1
        daemon.send(SIGKILL)
        daemon.waitForExit()
        if random.below(2) == 0 { usleep(UInt32(random.below(100_000))) }
        daemon = try startDaemon(at: address, folder)
      }
      let victim = random.below(clients)
      processes[victim].send(SIGKILL)
      let code = processes[victim].waitForExit()
      guard code == -SIGKILL else {
        throw RunFailure("client \(victim) ended with \(code):\n\(processes[victim].errors)")
      }
      processes[victim] = try start(victim, "play")
    }
    try waitUntilPlaying(processes, folders)
    for process in processes {
      process.send(SIGKILL)
      process.waitForExit()
    }
    for client in 0..<clients { try finish(start(client, "drain"), "client \(client)") }
    let list = try start(0, "list")
    try finish(list, "the reader")
    let result = try check(list.output, folders)
    Console.print("\(kills) kills of clients, \(daemonsKilled) of the daemon")
    daemon.stop()
    let isSound = result.faults.isEmpty == (fault == nil)
    folder.isKept = !isSound
    if !isSound { Console.print("the stores and logs are in \(folder.url.path)") }
    Console.print(isSound ? "passed" : fault == nil ? "failed" : "failed: the fault was not found")
    let json: [String: Any] = [
      "kills": kills, "daemonKills": daemonsKilled, "operations": result.operations, "accepted": result.accepted,
      "refused": result.refused, "notKept": result.notKept, "faults": result.faults.count, "seed": seed,
    ]
    return (isSound, json)
  }

  private func startDaemon(at address: SocketAddress, _ folder: TemporaryFolder) throws -> ChildProcess {
    try ChildProcess(
      "baized",
      [
        "--listen", "\(address)", "--journal", folder.path("journal.sqlite"), "--durability", "strict", "--log-level",
        "error",
        "--operations-per-second-max", "0", "--journal-bytes-per-address-max", "\(1 << 46)",
      ], marker: ChildProcess.daemonMarker)
  }

  private func waitUntilJoined(_ processes: [ChildProcess], _ folders: [String]) throws {
    try waitUntil(for: "the clients to join", step: { usleep(2_000) }) {
      try folders.indices.allSatisfy { client in
        guard processes[client].isRunning else {
          throw RunFailure("client \(client) ended: \(processes[client].errors)")
        }
        let path = folders[client] + "/log"
        guard FileManager.default.fileExists(atPath: path) else { return false }
        return try !RelaunchLog.lines(of: path).isEmpty
      }
    }
  }

  /// Waits until each client has submitted something since now.
  private func waitUntilPlaying(_ processes: [ChildProcess], _ folders: [String]) throws {
    let counts = try folders.map { try RelaunchLog.lines(of: $0 + "/log").count }
    try waitUntil(for: "the clients to play", step: { usleep(5_000) }) {
      try folders.indices.allSatisfy { client in
        guard processes[client].isRunning else {
          throw RunFailure("client \(client) ended: \(processes[client].errors)")
        }
        return try RelaunchLog.lines(of: folders[client] + "/log").count > counts[client] + 5
      }
    }
  }

  private func finish(_ process: ChildProcess, _ name: String) throws {
    try waitUntil(for: "\(name) to end", step: { usleep(2_000) }) { !process.isRunning }
    guard process.waitForExit() == 0 else { throw RunFailure("\(name) failed: \(process.errors)") }
  }

  private func check(_ listing: String, _ folders: [String]) throws -> RelaunchLedger {
    let marks = listing.split(separator: "\n").reduce(into: [String: Int]()) { $0[String($1), default: 0] += 1 }
    var ledger = RelaunchLedger()
    for (client, path) in folders.enumerated() {
      ledger.check(client: client, try RelaunchLog.lines(of: path + "/log"), marks: marks)
    }
    Console.print(
      "\(ledger.processes) processes of \(folders.count) clients, \(ledger.operations) operations: \(ledger.accepted) accepted, "
        + "\(ledger.refused) refused, \(ledger.notKept) ended before the store had them")
    Console.print("\(ledger.faults.count) faults")
    for fault in ledger.faults.prefix(Self.examplesMax) { Console.print("  \(fault)") }
    return ledger
  }
}
