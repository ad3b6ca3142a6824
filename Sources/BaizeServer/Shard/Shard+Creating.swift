import BaizeSync
import BaizeTable
import BaizeTransport
import Synchronization

/// Creating and freeing large tables on background threads.
extension Shard {
  func create(_ setUps: [TableSetUp]) {
    for setUp in setUps {
      workers.add(setUp.contentBytes) { [mailbox = endpoint.mailbox] in
        mailbox.send(.made(setUp.table, setUp.make()))
      }
    }
  }

  /// Frees the memory of tables on a background thread, which takes a while if they are large.
  ///
  /// - Parameter retired: Moved out: if the shard referred to a table last, it would free it.
  func free(_ retired: inout [RetiredTable]) {
    guard !retired.isEmpty else { return }
    let tables = RetiredTables(exchange(&retired, with: []))
    workers.add(0, tables.free)
  }

  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: now)
    schedule.hasEvents = true
  }
}

private final class RetiredTables: Sendable {
  private let tables: Mutex<[RetiredTable]>

  init(_ tables: consuming [RetiredTable]) { self.tables = Mutex(tables) }

  func free() { tables.withLock { $0 = [] } }
}
