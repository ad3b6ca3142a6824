import BaizeSync
import BaizeTable
import BaizeTransport
import Dispatch
import Synchronization

/// Loading tables for shards: their rows are read on this thread, after the turn that requested them, and decoded on
/// another thread, so that no commit waits for the decoding.
extension JournalWriter {
  /// Reads the next table, if that may be done now.
  func loadNext() {
    guard let load = loads.popFirst() else { return }
    if isHeld(load.table) {
      loads.hold(load)
    } else {
      answer(load)
    }
  }

  private func answer(_ load: JournalLoads.Load) {
    do throws(JournalError) {
      guard let stored = try journal.table(named: load.table) else {
        shards[load.shard].mailbox.send(.journal(.loaded(load.table, .success(nil))))
        return
      }
      decode(stored, for: load.shard)
    } catch {
      log(.error, "table \(load.table.quotedForLog) cannot be read: \(error)")
      shards[load.shard].mailbox.send(.journal(.loaded(load.table, .failure(error))))
    }
  }

  private func decode(_ stored: StoredTable, for shard: Int) {
    loads.decodingCount += 1
    endpoint.statistics.withLock { $0.tablesLoaded += 1 }
    decodingQueue.async { [endpoint, shard = shards[shard], types = types[shard], log] in
      let name = stored.definition.name
      do throws(JournalError) {
        shard.mailbox.send(.journal(.loaded(name, .success(try RestoredTable(stored, types: types)))))
      } catch {
        log(.error, "table \(name.quotedForLog) cannot be restored: \(error)")
        shard.mailbox.send(.journal(.loaded(name, .failure(error))))
      }
      endpoint.mailbox.send(.decoded)
    }
  }
}
