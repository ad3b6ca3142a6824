import BaizeSync
import BaizeTable
import BaizeTransport

/// Creating and freeing large tables on background threads.
extension Shard {
  func create(_ setUps: [TableSetUp]) {
    for setUp in setUps {
      workers.add(setUp.contentBytes) { [mailbox = endpoint.mailbox] in
        mailbox.send(.made(setUp.table, setUp.make()))
      }
    }
  }

  /// Frees the memory of large tables, which takes a while.
  func free(_ retired: consuming [TableState]) {
    for state in retired { workers.add(0) { withExtendedLifetime(state) {} } }
  }

  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: now)
    schedule.hasEvents = true
  }
}
