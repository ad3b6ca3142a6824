import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import Synchronization

/// Loading tables for shards, after the turn that requested them: they are read and decoded by the workers, so that no commit
/// waits for that.
extension JournalWriter {
  /// Has the next table read, if that may be done now.
  func loadNext() {
    guard let load = loads.popFirst() else { return }
    if isHeld(load.table) {
      loads.hold(load)
    } else {
      read(load)
    }
  }

  private func read(_ load: JournalLoads.Load) {
    let loading = TableLoading(
      load, endpoint, shards[load.shard], types[load.shard], load.mayMigrate ? presentTypes : nil, answersMax, account,
      log)
    do throws(JournalError) {
      let reading = try journal.reading(tableNamed: load.table)
      workers.add(0) { [workers] in loading.begin(reading, on: workers) }
    } catch {
      loading.fail(error)
    }
  }
}

/// A table on its way from the journal to a shard.
private struct TableLoading: Sendable {
  private let load: JournalLoads.Load
  private let endpoint: JournalEndpoint
  private let shard: ShardEndpoint
  private let types: TableTypeCompiler
  /// The present types, if the table may move to the document of its own.
  private let presentTypes: TableTypeCache?
  private let answersMax: Int
  private let account: MemoryAccount
  private let log: Log

  init(
    _ load: JournalLoads.Load, _ endpoint: JournalEndpoint, _ shard: ShardEndpoint, _ types: TableTypeCompiler,
    _ presentTypes: TableTypeCache?, _ answersMax: Int, _ account: MemoryAccount, _ log: Log
  ) {
    self.load = load
    self.endpoint = endpoint
    self.shard = shard
    self.types = types
    self.presentTypes = presentTypes
    self.answersMax = answersMax
    self.account = account
    self.log = log
  }

  /// Has a table read by the worker for its size.
  func begin(_ reading: TableReading, on workers: TableWorkers) {
    do throws(JournalError) {
      let bytes = try reading.bytes()
      workers.add(bytes) { restore { () throws(JournalError) in try reading.read(bytesMax: load.bytesMax) } }
    } catch {
      fail(error)
    }
  }

  /// Reads and decodes the table.
  func restore(_ read: () throws(JournalError) -> StoredTable?) {
    do throws(JournalError) {
      guard let stored = try read() else { return answer(.success(nil)) }
      endpoint.statistics.withLock { $0.tablesLoaded += 1 }
      // The rows, and as much again for what is made of them.
      let bytes = 2 * stored.bytes
      account.chargeLoading(bytes)
      defer { account.chargeLoading(-bytes) }
      var table = try RestoredTable(stored, types: types, random: SystemRandom().source)
      migrate(&table)
      table.prepareSessions(answersMax: answersMax)
      answer(.success(table))
    } catch {
      fail(error)
    }
  }

  /// Moves the table to the present document of its type, if it fits.
  private func migrate(_ table: inout RestoredTable) {
    guard let presentTypes else { return }
    do throws(MigrationObstacles) {
      guard try table.migrate(to: presentTypes) else { return }
      log(.info, "the table \(load.table.quotedForLog) has the present document of its type now")
    } catch {
      log(.warning, "the table \(load.table.quotedForLog) keeps the older document of its type: \(error)")
    }
  }

  func fail(_ error: JournalError) {
    if error.kind != .tooLarge { log(.error, "table \(load.table.quotedForLog) cannot be loaded: \(error)") }
    answer(.failure(error))
  }

  func answer(_ result: Result<RestoredTable?, JournalError>) {
    shard.mailbox.send(.journal(.loaded(load.table, result)))
  }
}
