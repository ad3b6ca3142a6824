import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// Strangers who do the most expensive things at tables of the first shard.
struct WaitingClients {
  let address: SocketAddress
  let connections: Int
  let hellos: Int
  let items: Int
  let tables: Int

  static let shards = 2
  /// The size of what a connection sends while its table is loaded: less than `waitingBytesMax`.
  static let sentBytes = 62 << 10
  /// Fewer than the seats of a table.
  private static let playersMax = 60
  private static let collection = CollectionHandle(rawValue: 1)

  /// The phases: a name, a summary, and what strangers do while others ping. In the first there are none.
  static let phases: [(name: String, summary: String, perform: @Sendable (Self, Lab) throws -> Void)] = [
    ("normal", "Nothing else.", { _, _ in Thread.sleep(forTimeInterval: 1) }),
    (
      "load",
      "Connections send \(sentBytes >> 10) KiB of operations on \(TableLimits.itemsPerOperationMax) items each while their "
        + "table is loaded from the journal.", { clients, _ in try clients.talk(table("stored", on: 0)) }
    ),
    ("create", "The same while their table is created.", { clients, _ in try clients.talk(table("talked", on: 0)) }),
    (
      "hellos", "Many connections join a large table that is being loaded.",
      { clients, _ in try clients.join(table("crowded", on: 0)) }
    ),
    (
      "tables", "Large tables are created, and a client creates a small one meanwhile.",
      { clients, lab in lab.add("until the small table is created", [try clients.create()], "ms") }
    ),
    (
      "attributes", "The largest frames of attributes, from players and spectators.",
      { clients, _ in try clients.sendAttributes() }
    ),
    (
      "hashes", "Moves of scattered items in a large table, each with a ping for the hash.",
      { clients, _ in try clients.askForHashes(table("crowded", on: 0)) }
    ),
  ]

  /// Stores the two tables that are loaded later.
  static func store(items: Int, in journal: String) throws {
    let daemon = try ChildProcess.daemon(journal: journal, shards: shards)
    for name in ["stored", "crowded"] {
      let hello = Hello(
        table: table(name, on: 0), tableType: "list?items=\(items)", name: "waiting", role: .spectator)
      _ = try BlockingClient.joining(daemon.address, hello)
    }
    guard daemon.stop() == 0 else { throw RunFailure("the daemon did not stop: \(daemon.errors)") }
  }

  /// Returns a table's name on a shard.
  static func table(_ name: String, on shard: Int) -> String {
    for number in 0... {
      let table = "\(name)\(number)"
      if ShardMachine.shard(ofTable: table, among: shards) == shard { return table }
    }
    return name
  }

  /// Sends operations behind the hellos of connections, and waits until all are answered.
  func talk(_ table: String) throws {
    let clients = try (0..<connections).map { number in
      let client = try BlockingClient(address)
      client.send(.hello(hello(table, as: number < Self.playersMax ? .player : .spectator)))
      var bytes: [UInt8] = []
      var sequence: UInt64 = 0
      while bytes.count < Self.sentBytes {
        sequence += 1
        let first = 1 + (UInt64(number) * 37 + sequence) % UInt64(items - 2_000)
        let operation = TableOperation(
          sequence: SequenceNumber(rawValue: sequence), base: .zero, epoch: Epoch(rawValue: 1),
          kind: scatteredMove(from: first, step: 3))
        bytes += ClientMessage.operation(operation).framed()
      }
      client.write(bytes)
      return client
    }
    for client in clients { try expectEnd(client) }
  }

  /// Joins one table with many connections.
  func join(_ table: String) throws {
    let clients = try (0..<hellos).map { _ in
      let client = try BlockingClient(address, receiveBufferBytes: 4 << 10)
      client.send(.hello(Hello(table: table, name: "crowd", role: .spectator)))
      return client
    }
    for client in clients {
      guard try client.next() != nil else { throw RunFailure("a client was not answered") }
    }
  }

  /// - Returns: The time in milliseconds for which a client waits for a small table while large ones are created.
  func create() throws -> Double {
    let makers = try (0..<tables).map { number in
      let client = try BlockingClient(address)
      client.send(.hello(hello(Self.table("large-\(number)-", on: 0))))
      return client
    }
    let start = MonotonicClock.now()
    let small = "list?items=\(ServerLimits.setUpItemsAtOnceMax + 1)"
    _ = try BlockingClient.joining(
      address, Hello(table: Self.table("small", on: 0), tableType: small, name: "waiting", role: .spectator))
    let time = Measure.milliseconds(since: start)
    for maker in makers {
      guard case .welcome? = try maker.next() else { throw RunFailure("a large table was not created") }
    }
    return time
  }

  func sendAttributes() throws {
    // In descending order of the names, which is the slowest.
    let attributes = (0..<WireLimits.itemAttributesMax).map { number in
      Attribute(String(format: "%02x", WireLimits.itemAttributesMax - number), 1)
    }
    let frame = Self.insertion(of: TableLimits.itemsPerOperationMax, with: attributes)
    let clients = try (0..<20).map { number in
      let hello = Hello(
        table: Self.table("attributes", on: 0), tableType: "list?items=1", name: "a",
        role: number % 2 == 0 ? .player : .spectator)
      return try BlockingClient.joining(address, hello).client
    }
    for client in clients { for _ in 0..<4 { client.write(frame) } }
    for client in clients { try expectEnd(client) }
  }

  func askForHashes(_ table: String) throws {
    let step = UInt64(items / TableLimits.itemsPerOperationMax)
    let clients = try (0..<20).map { number in
      let (client, joined) = try BlockingClient.joining(address, hello(table, as: .player))
      for sequence in 1...10 as ClosedRange<UInt64> {
        client.send(
          joined.operation(scatteredMove(from: 1 + UInt64(number) * 50 + sequence, step: step), number: sequence),
          .ping(Ping(nonce: sequence, wantsHash: true)))
      }
      return client
    }
    for client in clients { try expectEnd(client) }
  }

  // MARK: Parts

  private func hello(_ table: String, as role: Role = .spectator) -> Hello {
    Hello(table: table, tableType: "list?items=\(items)", name: "waiting", role: role)
  }

  /// Returns a move of as many items as may be named, by their ids.
  private func scatteredMove(from first: UInt64, step: UInt64) -> TableOperation.Kind {
    let ids = (0..<UInt64(TableLimits.itemsPerOperationMax)).map { first + step * $0 }
    return .move(
      ids.filter { $0 < UInt64(items) }.map { ItemID(rawValue: $0) }, to: .end(of: Self.collection))
  }

  /// Sends a last ping and reads up to its answer, or to the end of the stream.
  private func expectEnd(_ client: BlockingClient) throws {
    guard try client.ping(77) != nil || client.hasEnded else { throw RunFailure("a client was not answered in time") }
  }

  /// Returns the frame of an insertion of items with these attributes, in this order: the codec would sort them.
  private static func insertion(of count: Int, with attributes: [Attribute]) -> [UInt8] {
    func addItem(_ writer: inout ByteWriter) { writer.message(1) { $0.attributes(1, attributes) } }
    var item = ByteWriter()
    addItem(&item)
    let fitting = min(count, (WireLimits.frameBytesMax - 65) / item.count)
    var writer = ByteWriter()
    writer.delimited { writer in
      writer.message(2) { operation in
        operation.uint64(1, 1)
        operation.message(4) { for _ in 0..<fitting { addItem(&$0) } }
        operation.uint64(9, 1)
      }
    }
    return writer.withUnsafeBytes { Array($0) }
  }
}
