import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport

/// Loads tables for a shard: its workers read and decode what the journal has, so that neither a commit nor the shard waits for
/// that.
struct TableLoader: Sendable {
  private let endpoint: ShardEndpoint
  private let workers: TableWorkers
  /// The shard's own, so that no two shards contend for the reference counts of a shared type.
  private let types = TableTypeCompiler()
  /// The present types, if tables move to their documents when they are loaded.
  private var presentTypes: TableTypeCache?
  /// The number of answers that are restored of a session.
  private let answersMax: Int
  private let account: MemoryAccount
  private let monitor: JournalMonitor
  private let log: Log

  init(
    _ endpoint: ShardEndpoint, _ configuration: ServerConfiguration, _ workers: TableWorkers, _ account: MemoryAccount,
    _ monitor: JournalMonitor
  ) {
    (self.endpoint, self.workers, self.account, self.monitor) = (endpoint, workers, account, monitor)
    presentTypes = configuration.migratesTables ? TableTypeCache(configuration.tableTypes) : nil
    answersMax = configuration.limits.sessions.pendingOperationsMax
    log = configuration.log
  }

  /// Takes over table types that were read again.
  mutating func reload(_ types: TableTypeLibrary) {
    if presentTypes != nil { presentTypes = TableTypeCache(types) }
  }

  /// Returns the request for a table, whose answer goes to the shard's mailbox.
  ///
  /// - Parameters:
  ///   - bytesMax: The size in bytes that the shard has room for.
  ///   - mayMigrate: Whether the table may move to the present document of its type.
  func load(_ table: String, bytesMax: Int, mayMigrate: Bool) -> JournalLoad {
    let presentTypes = mayMigrate ? presentTypes : nil
    return JournalLoad(table) { answer in
      workers.add(0) {
        attempt(table) { () throws(JournalError) in
          let reading = try answer.get()
          // By the worker for its size.
          workers.add(try reading.bytes()) {
            attempt(table) { () throws(JournalError) in
              send(table, .success(try restore(reading.read(bytesMax), presentTypes)))
            }
          }
        }
      }
    }
  }

  /// Decodes a table.
  private func restore(_ stored: StoredTable?, _ presentTypes: TableTypeCache?) throws(JournalError) -> RestoredTable? {
    guard let stored else { return nil }
    monitor.tableLoaded()
    // The rows, and as much again for what is made of them.
    let bytes = 2 * stored.bytes
    account.chargeLoading(bytes)
    defer { account.chargeLoading(-bytes) }
    var table = try RestoredTable(stored, types: types, random: SystemRandom().source)
    if let presentTypes { migrate(&table, to: presentTypes) }
    table.prepareSessions(answersMax: answersMax)
    return table
  }

  /// Moves the table to the present document of its type, if it fits.
  private func migrate(_ table: inout RestoredTable, to presentTypes: TableTypeCache) {
    let name = table.definition.name.quotedForLog
    do throws(MigrationObstacles) {
      guard try table.migrate(to: presentTypes) else { return }
      log(.info, "the table \(name) has the present document of its type now")
    } catch {
      log(.warning, "the table \(name) keeps the older document of its type: \(error)")
    }
  }

  private func attempt(_ table: String, _ body: () throws(JournalError) -> Void) {
    do throws(JournalError) {
      try body()
    } catch {
      if error.kind != .tooLarge { log(.error, "table \(table.quotedForLog) cannot be loaded: \(error)") }
      send(table, .failure(error))
    }
  }

  private func send(_ table: String, _ result: Result<RestoredTable?, JournalError>) {
    endpoint.mailbox.send(.loaded(table, result))
  }
}
