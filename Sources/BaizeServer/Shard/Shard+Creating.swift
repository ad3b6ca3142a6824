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

  /// Frees the memory of tables, which takes a while if they are large.
  func free(_ retired: [RetiredTable]) {
    for table in retired { workers.add(0, table.free) }
  }

  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: now)
    schedule.hasEvents = true
  }
}
