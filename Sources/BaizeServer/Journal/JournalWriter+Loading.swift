import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import Dispatch
import Synchronization

/// Loading tables for shards, after the turn that requested them: their rows are read on one thread and decoded on others, so
/// that no commit waits for either.
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
    loads.decodingCount += 1
    let loading = TableLoading(load, endpoint, shards[load.shard], types[load.shard], account, log)
    do throws(JournalError) {
      if let reading = try journal.reading(tableNamed: load.table) {
        readingQueue.async { [decodingQueue] in
          loading.restore(on: decodingQueue) { () throws(JournalError) in try reading.read(bytesMax: load.bytesMax) }
        }
      } else {
        let stored = try journal.table(named: load.table)
        loading.restore(on: decodingQueue) { stored }
      }
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
  private let account: MemoryAccount
  private let log: Log

  init(
    _ load: JournalLoads.Load, _ endpoint: JournalEndpoint, _ shard: ShardEndpoint, _ types: TableTypeCompiler,
    _ account: MemoryAccount, _ log: Log
  ) {
    self.load = load
    self.endpoint = endpoint
    self.shard = shard
    self.types = types
    self.account = account
    self.log = log
  }

  /// Reads the table here and decodes it on a queue.
  func restore(on queue: DispatchQueue, _ read: () throws(JournalError) -> StoredTable?) {
    do throws(JournalError) {
      guard let stored = try read() else { return answer(.success(nil)) }
      endpoint.statistics.withLock { $0.tablesLoaded += 1 }
      // The rows, and as much again for what is made of them.
      let bytes = 2 * stored.bytes
      account.chargeLoading(bytes)
      // A large table is decoded here, before the next one is read, so that there are few in memory twice.
      if stored.bytes > ServerLimits.decodedBesideReadingBytesMax {
        decode(stored)
        account.chargeLoading(-bytes)
      } else {
        queue.async {
          decode(stored)
          account.chargeLoading(-bytes)
        }
      }
    } catch {
      fail(error)
    }
  }

  private func decode(_ stored: StoredTable) {
    do throws(JournalError) {
      answer(.success(try RestoredTable(stored, types: types)))
    } catch {
      fail(error)
    }
  }

  func fail(_ error: JournalError) {
    if error.kind != .tooLarge { log(.error, "table \(load.table.quotedForLog) cannot be loaded: \(error)") }
    answer(.failure(error))
  }

  private func answer(_ result: Result<RestoredTable?, JournalError>) {
    shard.mailbox.send(.journal(.loaded(load.table, result)))
    endpoint.mailbox.send(.decoded)
  }
}
