import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeWorkload
import Foundation

extension Measure {
  private static let kills = NumberOption(
    "--kills", "N", "How often a client is killed.", in: 1...100_000, standard: 200)
  private static let clients = NumberOption(
    "--clients", "N", "The number of clients, all at one table.", in: 1...32, standard: 4)
  private static let daemonKills = NumberOption(
    "--daemon-kills", "N", "How often the daemon is killed in between.", in: 0...10_000, standard: 20)
  private static let fault = CommandOption(
    "--expect-fault", "FAULT",
    "Gives the clients a faulty session store, and fails if nothing is found: 'early' sends operations before they are "
      + "stored, 'forget' keeps the last write but one.")
  private static let table = "relaunch"

  /// Kills of clients and sometimes of the daemon: what the clients know is compared with the table in the end.
  static let relaunch = Measure(
    "relaunch", "Kills of clients in the middle of bursts.",
    summary:
      "Kills clients while they submit operations, starts them again with their session stores, and checks that every "
      + "operation has its effect once, that its outcome is known, and that every client keeps its session and seat.",
    options: [kills, clients, daemonKills, .seed, fault],
    notes: [
      "An operation that a kill ended before its store had it must have no effect; one that the client had saved must be "
        + "known. The daemon is killed now and then, too, and starts again at the same address."
    ],
    short: "--kills 20 --daemon-kills 3"
  ) { lab in
    let expected: StoreFault? = try lab.arguments.choice(fault.flag)
    let (seed, kills, daemonKills) = (try lab.seed(), lab[kills], lab[daemonKills])
    var random = RandomSource(seed: seed)
    let folder = try TemporaryFolder()
    folder.isKept = true
    defer { if folder.isKept { Console.print("the stores and logs are in \(folder.url.path)") } }
    func startDaemon(_ address: String) throws -> ChildProcess {
      try .daemon(listening: address, journal: folder.path("journal.sqlite"))
    }
    var daemon = try startDaemon(LedgerPlay.daemonAddress)
    let address = daemon.address
    let paths = (0..<lab[clients]).map { folder.path("client-\($0)") }
    for path in paths { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    func start(_ client: Int, _ mode: RelaunchedClient.Mode) throws -> ChildProcess {
      try LabPart.relaunched.start([
        "\(address)", table, "\(client)", paths[client], "\(random.next())", mode.rawValue, expected?.rawValue ?? "-",
      ])
    }
    var processes = try paths.indices.map { try start($0, .play) }
    try wait(for: paths.map { _ in 1 }, linesOf: paths, of: processes)
    var daemonsKilled = 0
    for kill in 1...kills {
      usleep(UInt32(20_000 + random.below(180_000)))
      if daemonsKilled * kills < daemonKills * kill {
        daemonsKilled += 1
        daemon.send(SIGKILL)
        daemon.waitForExit()
        if random.below(2) == 0 { usleep(UInt32(random.below(100_000))) }
        daemon = try startDaemon("\(address)")
      }
      let victim = random.below(paths.count)
      try Measure.kill(processes[victim], victim)
      processes[victim] = try start(victim, .play)
    }
    // Until each has submitted something since its last start.
    try wait(for: paths.map { try RelaunchLog.lineCount(of: $0) + 6 }, linesOf: paths, of: processes)
    for (client, process) in processes.enumerated() { try Measure.kill(process, client) }
    for client in paths.indices {
      let process = try start(client, .drain)
      try waitUntil(for: "client \(client) to end", step: { usleep(2_000) }) { !process.isRunning }
      guard process.waitForExit() == 0 else { throw RunFailure("client \(client) failed: \(process.errors)") }
    }
    let items = try Driver.readTable(table, at: address, seconds: Double(HangGuard.seconds)).items
    daemon.stop()
    var check = RelaunchCheck()
    for (client, path) in paths.enumerated() { check.note(try RelaunchLog.events(of: path), of: client) }
    check.compare(with: items.compactMap(MarkedItem.init))
    Console.print("\(check.text)\n\(kills) kills of clients, \(daemonsKilled) of the daemon")
    for example in check.faults.examples { Console.print("fault  \(example)") }
    lab.add("faults", Double(check.faults.total), "")
    lab.require(
      check.faults.isEmpty == (expected == nil), expected == nil ? "nothing is wrong" : "the fault is found")
    folder.isKept = lab.exitCode != 0
  }

  private static func kill(_ process: ChildProcess, _ client: Int) throws {
    process.send(SIGKILL)
    let code = process.waitForExit()
    guard code == -SIGKILL else { throw RunFailure("client \(client) ended with \(code):\n\(process.errors)") }
  }

  /// Waits until each client's log has so many lines.
  private static func wait(for counts: [Int], linesOf paths: [String], of processes: [ChildProcess]) throws {
    try waitUntil(for: "the clients to play", step: { usleep(2_000) }) {
      try paths.indices.allSatisfy { client in
        guard processes[client].isRunning else {
          throw RunFailure("client \(client) ended: \(processes[client].errors)")
        }
        return try RelaunchLog.lineCount(of: paths[client]) >= counts[client]
      }
    }
  }
}
