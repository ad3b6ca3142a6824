import BaizeClient
import BaizeHarness
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeWire
import Synchronization

/// Fills a journal with the writes of a real shard, as fast as possible: one player per table and one move per turn, so that
/// every diff is a record of its own.
struct JournalBuilder<Storage: Journal> {
  private var host: ShardHost<Storage>
  private var tables: [BuiltTable] = []
  private let now = Instant(nanoseconds: 0)
  private var random = RandomSource(seed: 1)

  private struct BuiltTable {
    let name: String
    let connection: ConnectionID
    var sequence = SequenceNumber.zero
  }

  init(_ journal: Storage) {
    let options = ShardHostOptions {
      $0.types = CachedTableTypes()
      $0.limits.operationsPerSecondMax = 0
    }
    host = ShardHost(options, journal)
  }

  /// - Parameters:
  ///   - tables: The number of tables.
  ///   - type: Their type, in whose first collection all items may be moved.
  ///   - diffs: The total number of diffs, besides those that seat the players.
  mutating func build(tables count: Int, type: String, diffs: Int) throws {
    for number in 0..<count { try join(number, type) }
    var left = diffs
    while left > 0 {
      for number in 0..<min(count, left) { move(number) }
      left -= min(count, left)
      try host.settle(at: now)
    }
  }

  private mutating func join(_ number: Int, _ type: String) throws {
    let table = BuiltTable(name: StartupMeasure.tableName(number), connection: host.connect(slot: number, at: now))
    tables.append(table)
    host.receive(.hello(Hello(table: table.name, tableType: type, name: "builder")), on: table.connection, at: now)
    try host.settle(at: now)
    guard let state = host.shard.state(ofTable: table.name), state.itemCount > 2 else {
      throw RunFailure("table \(table.name) was not made, or is too small")
    }
  }

  /// Moves the first item before one further on, so that there is a diff.
  private mutating func move(_ number: Int) {
    guard let state = host.shard.state(ofTable: tables[number].name) else { return }
    let collection = CollectionHandle(rawValue: 1)
    let offset = 2 + random.below(state.count(in: collection) - 2)
    guard let item = state.firstItem(in: collection), let anchor = state.item(at: offset, in: collection) else {
      return
    }
    tables[number].sequence = tables[number].sequence.next
    let difference = ReorderDifference(sources: ItemList(item), destination: .before(anchor, in: collection))
    let operation = TableOperation(
      sequence: tables[number].sequence, base: state.revision, epoch: Epoch(rawValue: 1),
      kind: .reorder(difference, suggested: .move))
    host.receive(.operation(operation), on: tables[number].connection, at: now)
  }
}

/// The bundled table types, each compiled once.
private final class CachedTableTypes: TableTypeSource, TableTypeReader {
  private let cache = Mutex(TableTypeCache())

  func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    let type = cache.withLock { cache in try? cache.tableType(text) }
    guard let type else { throw .unknownType(detail: "there is no table type \(text)") }
    return type
  }

  func tableType(document: String, options: [Attribute]) throws -> TableType {
    try TableTypeCompiler.shared.tableType(document: document, options: options)
  }
}
