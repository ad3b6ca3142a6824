import BaizeSync
import BaizeTable
import BaizeTransport
import Dispatch

/// Creating and freeing large tables on a background queue.
extension Shard {
  /// A serial queue for all shards, so that it leaves the processor to the shards.
  private static let queue = DispatchQueue(label: "baize.set-up", qos: .utility)

  /// Has tables created on the background queue.
  func create(_ setUps: [TableSetUp]) {
    for setUp in setUps {
      Self.queue.async { [mailbox = endpoint.mailbox] in mailbox.send(.made(setUp.table, setUp.make())) }
    }
  }

  /// Frees the memory of large tables, which takes a while.
  func free(_ retired: consuming [TableState]) {
    guard !retired.isEmpty else { return }
    Self.queue.async { [retired] in withExtendedLifetime(retired) {} }
  }

  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: now)
    schedule.hasEvents = true
  }
}
