import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeWire
import Synchronization

/// Fills a journal with what a shard's own machine writes, as fast as that goes: one player a table, one move a turn, so
/// that every diff is a record of its own.
struct JournalBuilder {
  private let journal: any Journal
  private var shard: ShardMachine
  private var tables: [BuiltTable] = []
  private let now = Instant(nanoseconds: 0)
  private var random = RandomSource(seed: 1)

  private struct BuiltTable {
    let name: String
    let connection: ConnectionID
    var items: [ItemID] = []
    var sequence = SequenceNumber.zero
  }

  init(_ journal: any Journal) {
    self.journal = journal
    var limits = SyncLimits()
    limits.operationsPerSecondMax = 0
    shard = ShardMachine(
      types: LibraryTableTypes(), random: RandomSource(seed: 2), limits: limits, durability: .strict)
  }

  /// The name of the `number`-th table.
  static func name(_ number: Int) -> String { "startup-\(number)" }

  /// - Parameters:
  ///   - tables: How many tables there are to be.
  ///   - type: What they are of: something in whose first collection everything may be moved.
  ///   - diffs: How many diffs there are to be in all, besides those that seat the players.
  mutating func build(tables count: Int, type: String, diffs: Int) throws {
    for number in 0..<count { try join(number, type) }
    for number in 0..<count { tables[number].items = try items(of: number) }
    var left = diffs
    while left > 0 {
      for number in 0..<min(count, left) { move(number) }
      left -= min(count, left)
      try endTurn()
    }
  }

  private mutating func join(_ number: Int, _ type: String) throws {
    let connection = ConnectionID(slot: UInt32(number), generation: 1)
    tables.append(BuiltTable(name: Self.name(number), connection: connection))
    shard.connected(connection, at: now)
    send(.hello(Hello(table: Self.name(number), tableType: type, name: "builder")), number)
    try endTurn()
  }

  private func items(of number: Int) throws -> [ItemID] {
    guard let state = shard.state(ofTable: tables[number].name), state.itemCount > 2 else {
      throw LoadSession.Failure(description: "table \(tables[number].name) did not come about, or is too small")
    }
    return state.itemIDs(in: CollectionHandle(rawValue: 1))
  }

  /// Moves an item before one that it does not stand before, so that there is a diff.
  private mutating func move(_ number: Int) {
    let table = tables[number]
    guard let state = shard.state(ofTable: table.name) else { return }
    let item = table.items[Int(random.next(below: UInt64(table.items.count)))]
    guard let anchor = table.items.first(where: { $0 != item && $0 != state.item(after: item) }) else { return }
    tables[number].sequence = table.sequence.next
    let difference = ReorderDifference(
      sources: ItemList(item), destination: .before(anchor, in: CollectionHandle(rawValue: 1)))
    let operation = TableOperation(
      sequence: table.sequence.next, base: state.revision, epoch: Epoch(rawValue: 1),
      kind: .reorder(difference, suggested: .move))
    send(.operation(operation), number)
  }

  private mutating func send(_ message: ClientMessage, _ number: Int) {
    let connection = tables[number].connection
    message.encoded().withUnsafeBytes { shard.received($0, on: connection, at: now) }
  }

  /// Does what a host does between turns.
  private mutating func endTurn() throws {
    repeat {
      let end = shard.endTurn()
      if let number = end.number {
        try journal.append(end.writes)
        try journal.commit()
        shard.committed(number)
      }
      for name in end.loads { shard.loaded(name, .success(nil), at: now) }
      while let batch = shard.nextReleased() { shard.recycle(batch) }
      if end.loads.isEmpty, !shard.wantsTurn { return }
    } while true
  }
}

/// The bundled table types.
private final class LibraryTableTypes: TableTypeSource {
  private let cache = Mutex(TableTypeCache())

  func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    let type = cache.withLock { cache in try? cache.tableType(text) }
    guard let type else { throw .unknownType(detail: "there is no table type \(text)") }
    return type
  }
}
