import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

extension MeasureCommand {
  /// `baize-lab waiting`: the effect on others of clients that wait for large tables, and of the largest messages.
  static var waiting: MeasureCommand {
    let connections = NumberOption(
      "--connections", "N",
      "Connections that send \(WaitingMeasure.sentBytes >> 10) KiB each while their table is loaded.",
      in: 1...1_000, standard: 50)
    let hellos = NumberOption("--hellos", "N", "Connections that join one table.", in: 1...20_000, standard: 4_000)
    let items = NumberOption(
      "--items", "N", "The number of items of a large table.", in: 10_000...1_000_000, standard: 1_000_000)
    let tables = NumberOption("--tables", "T", "Large tables that are created at once.", in: 1...100, standard: 10)
    return MeasureCommand(
      "waiting", "The effect on others of clients that wait for large tables.",
      summary: "Measures how long tables stall while others send much, wait for large tables, or create them.",
      options: [connections, hellos, items, tables].map(\.option),
      notes: [
        "Starts baized with two shards, on a journal in memory where the system has /dev/shm. A client at another table of the "
          + "attacked shard, and one at a table of the other shard, ping all the time; a stall is the longest time that one "
          + "waits for an answer.",
        "Phases:\n"
          + "  normal      Nothing else.\n"
          + "  load        Connections send operations on \(TableLimits.itemsPerOperationMax) items each while their table is "
          + "loaded from the journal.\n"
          + "  create      The same while their table is created.\n"
          + "  hellos      Many connections join a large table that is being loaded.\n"
          + "  tables      Large tables are created, and a client creates a small one meanwhile.\n"
          + "  attributes  The largest frames of attributes, from players and spectators.\n"
          + "  hashes      Moves of scattered items in a large table, each with a ping for the hash.",
        "The limits, but for normal: \(Int(WaitingMeasure.sameMax)) ms on the same shard, \(Int(WaitingMeasure.otherMax)) ms on "
          + "the other. They assume a quiet machine: the exit code is 1 if only they are missed, 2 if the daemon ends or a client "
          + "is not answered.",
      ]
    ) { parsed in
      try WaitingMeasure(
        connections: connections(parsed), hellos: hellos(parsed), items: items(parsed), tables: tables(parsed)
      ).perform()
    }
  }
}

/// Measures the longest stalls of tables (I11) while strangers do the most expensive things, against a daemon's process.
struct WaitingMeasure {
  let connections: Int
  let hellos: Int
  let items: Int
  let tables: Int

  /// The longest stalls allowed, in milliseconds.
  static let sameMax = 50.0
  static let otherMax = 10.0
  /// The size of what a connection sends while its table is loaded: less than `waitingBytesMax`.
  static let sentBytes = 62 << 10
  private static let shards = 2
  /// Fewer than the seats of a table.
  private static let playersMax = 60

  func perform() throws -> MeasureCommand.Result {
    let folder = try TemporaryFolder(in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    let journal = folder.path("journal")
    try store(journal)
    // Room for all tables on one shard.
    let contentBytesMax = max(2 << 30, 2 * (tables + 3) * items * TableLimits.itemContentBytes)
    let daemon = try ChildProcess.daemon(
      journal: journal, shards: Self.shards, arguments: ["--content-bytes-per-shard-max", "\(contentBytesMax)"])
    defer { daemon.stop() }
    let same = try StallProbe(daemon.address, table: Self.table("probe", on: 0))
    let other = try StallProbe(daemon.address, table: Self.table("probe", on: 1))
    defer {
      same.stop()
      other.stop()
    }
    var figures = Figures()
    var isSound = true
    let resident = daemon.usage.residentBytes ?? 0
    for phase in Phase.allCases {
      same.takeStall()
      other.takeStall()
      let seconds = try perform(phase, daemon.address)
      let stalls = (same.takeStall(), other.takeStall())
      figures.add("\(phase), same shard", stalls.0, "ms", digits: 1)
      figures.add("\(phase), other shard", stalls.1, "ms", digits: 1)
      let peak = (daemon.usage.peakResidentBytes ?? 0) - resident
      Console.print(
        "\(phase): stalls of \(LoadResult.fixed(stalls.0, 1)) ms on the same shard, \(LoadResult.fixed(stalls.1, 1)) ms on the "
          + "other; \(LoadResult.fixed(seconds, 2)) s; \(peak >> 20) MiB more at the peak")
      if phase != .normal, stalls.0 > Self.sameMax || stalls.1 > Self.otherMax { isSound = false }
      figures.add("\(phase), seconds", seconds, "s", digits: 2)
      figures.add("\(phase), growth", Double(peak >> 20), "MiB")
    }
    guard daemon.isRunning, same.isAlive, other.isAlive else {
      throw RunFailure("the daemon has ended or does not answer: \(daemon.errors)")
    }
    if !isSound { Console.print("the limit for a stall is missed") }
    return (isSound, figures.json)
  }

  private enum Phase: CaseIterable {
    case normal
    case load
    case create
    case hellos
    case tables
    case attributes
    case hashes
  }

  /// - Returns: The duration in seconds of what the phase is about.
  private func perform(_ phase: Phase, _ address: SocketAddress) throws -> Double {
    let start = MonotonicClock.now()
    switch phase {
    case .normal: usleep(1_000_000)
    case .load: try talk(Self.table("stored", on: 0), address)
    case .create: try talk(Self.table("talked", on: 0), address)
    case .hellos: try join(Self.table("crowded", on: 0), address)
    case .tables: return try create(address)
    case .attributes: try sendAttributes(address)
    case .hashes: try askForHashes(address)
    }
    return Double(MonotonicClock.now() - start) / 1e9
  }

  // MARK: Phases

  /// Stores two large tables in the journal.
  private func store(_ journal: String) throws {
    let daemon = try ChildProcess.daemon(journal: journal, shards: Self.shards)
    for name in ["stored", "crowded"] {
      _ = try BlockingClient.joining(daemon.address, hello(Self.table(name, on: 0), items: items))
    }
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not stop: \(daemon.errors)") }
  }

  /// Sends operations behind the hellos of connections, and waits until all are answered.
  private func talk(_ table: String, _ address: SocketAddress) throws {
    let count = UInt64(TableLimits.itemsPerOperationMax)
    let clients = try (0..<connections).map { number in
      let client = try BlockingClient(address)
      client.send(.hello(hello(table, items: items, as: number < Self.playersMax ? .player : .spectator)))
      var bytes: [UInt8] = []
      var sequence: UInt64 = 0
      while bytes.count < Self.sentBytes {
        sequence += 1
        let first = 1 + (UInt64(number) * 37 + sequence) % UInt64(items - 2_000)
        let scattered = (0..<count).map { ItemID(rawValue: first + 3 * $0) }
        let operation = TableOperation(
          sequence: SequenceNumber(rawValue: sequence), base: .zero, epoch: Epoch(rawValue: 1),
          kind: .move(ItemList(scattered), to: .end(of: CollectionHandle(rawValue: 1))))
        bytes += ClientMessage.operation(operation).framed()
      }
      client.write(bytes)
      return client
    }
    for client in clients { try expectEnd(client) }
  }

  /// Joins one table with many connections.
  private func join(_ table: String, _ address: SocketAddress) throws {
    let clients = try (0..<hellos).map { _ in
      let client = try BlockingClient(address, receiveBufferBytes: 4 << 10)
      client.send(.hello(Hello(table: table, name: "crowd", role: .spectator)))
      return client
    }
    for client in clients {
      guard try client.next() != nil else { throw RunFailure("a client was not answered") }
    }
  }

  /// - Returns: The time in seconds for which a client waits for a small table while large ones are created.
  private func create(_ address: SocketAddress) throws -> Double {
    let makers = try (0..<tables).map { number in
      let client = try BlockingClient(address)
      client.send(.hello(hello(Self.table("large-\(number)-", on: 0), items: items)))
      return client
    }
    let start = MonotonicClock.now()
    let small = ServerLimits.setUpItemsAtOnceMax + 1
    _ = try BlockingClient.joining(address, hello(Self.table("small", on: 0), items: small))
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    for maker in makers {
      guard case .welcome? = try maker.next() else { throw RunFailure("a large table was not created") }
    }
    return seconds
  }

  private func sendAttributes(_ address: SocketAddress) throws {
    let table = Self.table("attributes", on: 0)
    // In descending order of the names, which is the slowest.
    let attributes = (0..<WireLimits.itemAttributesMax).map { number in
      Attribute(String(format: "%02x", WireLimits.itemAttributesMax - number), 1)
    }
    let frame = AttributeFrame(attributes: attributes, items: TableLimits.itemsPerOperationMax).bytes
    let clients = try (0..<20).map { number in
      let (client, _) = try BlockingClient.joining(
        address, Hello(table: table, tableType: "list?items=1", name: "a", role: number % 2 == 0 ? .player : .spectator)
      )
      return client
    }
    for client in clients { for _ in 0..<4 { client.write(frame) } }
    for client in clients { try expectEnd(client) }
  }

  private func askForHashes(_ address: SocketAddress) throws {
    let table = Self.table("crowded", on: 0)
    let step = UInt64(items / TableLimits.itemsPerOperationMax)
    let clients = try (0..<20).map { number in
      let (client, joined) = try BlockingClient.joining(address, hello(table, items: items, as: .player))
      for sequence in 1...10 as ClosedRange<UInt64> {
        let first = 1 + UInt64(number) * 50 + sequence
        let scattered = (0..<UInt64(TableLimits.itemsPerOperationMax)).map { ItemID(rawValue: first + step * $0) }
        client.send(
          joined.operation(
            .move(
              ItemList(scattered.filter { $0.rawValue < UInt64(items) }), to: .end(of: CollectionHandle(rawValue: 1))),
            number: sequence),
          .ping(Ping(nonce: sequence, wantsHash: true)))
      }
      return client
    }
    for client in clients { try expectEnd(client) }
  }

  /// Sends a last ping and reads up to its answer, or to the end of the stream.
  private func expectEnd(_ client: BlockingClient) throws {
    client.send(.ping(Ping(nonce: 77)))
    while let message = try client.next() {
      if case .pong(let pong) = message, pong.nonce == 77 { return }
      if case .goodbye = message { return }
    }
    guard client.hasEnded else { throw RunFailure("a client was not answered in time") }
  }

  // MARK: Tables

  private func hello(_ table: String, items: Int, as role: Role = .spectator) -> Hello {
    Hello(table: table, tableType: "list?items=\(items)", name: "waiting", role: role)
  }

  /// Returns a table's name on a shard.
  private static func table(_ name: String, on shard: Int) -> String {
    for number in 0... {
      let table = "\(name)\(number)"
      if ShardMachine.shard(ofTable: table, among: shards) == shard { return table }
    }
    return name
  }
}

/// The bytes of an insertion of items with the most attributes, in the given order: a replica would sort them.
private struct AttributeFrame {
  let attributes: [Attribute]
  let items: Int

  var bytes: [UInt8] {
    var item = ByteWriter()
    item.attributes(1, attributes)
    var insertion: [UInt8] = []
    for _ in 0..<items {
      let next = Self.field(1, item.withUnsafeBytes { Array($0) })
      guard insertion.count + next.count < WireLimits.frameBytesMax - 64 else { break }
      insertion += next
    }
    let operation: [UInt8] = [8, 1] + Self.field(4, insertion) + [72, 1]
    return Self.delimited(Self.field(2, operation))
  }

  private static func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | 2] + delimited(content) }

  private static func delimited(_ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.varint(UInt64(content.count))
    return writer.withUnsafeBytes { Array($0) } + content
  }
}
