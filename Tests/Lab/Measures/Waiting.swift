import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import Foundation

extension Measure {
  private static let hellos = NumberOption(
    "--hellos", "N", "Connections that join one table.", in: 1...20_000, standard: 4_000)
  private static let items = NumberOption(
    "--items", "N", "The number of items of a large table.", in: 10_000...1_000_000, standard: 1_000_000)

  /// The longest stalls of tables (I11) while strangers do the most expensive things.
  static let waiting = Measure(
    "waiting", "The effect on others of clients that wait for large tables.",
    summary: "Measures how long tables stall while others send much, wait for large tables, or create them.",
    options: [.connections.standard(50), hellos, items, .tables.standard(10)],
    notes: [
      "The daemon has two shards. A client at another table of the attacked shard, and one at a table of the other shard, ping "
        + "all the time; a stall is the longest time that one waits for an answer.",
      "Phases:\n" + WaitingClients.phases.map { "  \($0.name.padded(to: 12))\($0.summary)\n" }.joined(),
    ],
    short: "--hellos 500 --items 50000 --tables 4"
  ) { lab in
    let folder = try TemporaryFolder(in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    let journal = folder.path("journal")
    let (items, tables) = (lab[items], lab[.tables])
    // Room for all tables on one shard.
    let contentBytesMax = max(2 << 30, 2 * (tables + 3) * items * TableLimits.itemContentBytes)
    try WaitingClients.store(items: items, in: journal)
    try lab.withDaemon(
      journal: journal, shards: WaitingClients.shards,
      arguments: ["--content-bytes-per-shard-max", "\(contentBytesMax)"]
    ) { daemon in
      let clients = WaitingClients(
        address: daemon.address, connections: lab[.connections], hellos: lab[hellos], items: items, tables: tables)
      let same = try StallProbe(daemon.address, table: WaitingClients.table("probe", on: 0))
      let other = try StallProbe(daemon.address, table: WaitingClients.table("probe", on: 1))
      defer { for probe in [same, other] { probe.stop() } }
      let resident = daemon.usage.residentBytes ?? 0
      for phase in WaitingClients.phases {
        for probe in [same, other] { probe.takeStall() }
        let start = MonotonicClock.now()
        try phase.perform(clients, lab)
        lab.add("\(phase.name), duration", [milliseconds(since: start)], "ms")
        lab.add("\(phase.name), same shard", [same.takeStall()], "ms", digits: 1)
        lab.add("\(phase.name), other shard", [other.takeStall()], "ms", digits: 1)
        lab.add("\(phase.name), peak", [Double(((daemon.usage.peakResidentBytes ?? 0) - resident) >> 20)], "MiB more")
        guard daemon.isRunning, same.isAlive, other.isAlive else {
          throw RunFailure("\(phase.name): the daemon has ended or does not answer: \(daemon.errors)")
        }
      }
    }
    for (shard, most) in [("same shard", 50.0), ("other shard", 10)] {
      let longest = WaitingClients.phases.dropFirst().map { lab.figures["\($0.name), \(shard)"].most }.max()
      lab.add("the longest, \(shard)", [longest ?? .nan], "ms", digits: 1)
      lab.limit("the longest, \(shard)", atMost: most, assumesQuiet: true)
    }
  }
}
