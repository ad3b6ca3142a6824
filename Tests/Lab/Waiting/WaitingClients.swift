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

  /// Returns the bytes of an insertion of items with these attributes, in this order: the codec would sort them.
  private static func insertion(of count: Int, with attributes: [Attribute]) -> [UInt8] {
    func delimited(_ content: [UInt8]) -> [UInt8] {
      var writer = ByteWriter()
      writer.varint(UInt64(content.count))
      return writer.withUnsafeBytes { Array($0) } + content
    }
    func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] { [number << 3 | 2] + delimited(content) }
    var item = ByteWriter()
    item.attributes(1, attributes)
    let next = field(1, item.withUnsafeBytes { Array($0) })
    let fitting = min(count, (WireLimits.frameBytesMax - 65) / next.count)
    let operation: [UInt8] = [8, 1] + field(4, (0..<fitting).flatMap { _ in next }) + [72, 1]
    return delimited(field(2, operation))
  }
}
