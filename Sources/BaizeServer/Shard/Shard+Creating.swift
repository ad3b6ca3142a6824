import BaizeSync
import BaizeTable
import BaizeTransport
import Dispatch

/// Tables that take longer to create than others should wait.
extension Shard {
  /// One after the other, whatever shard they are for: players come first.
  private static let queue = DispatchQueue(label: "baize.set-up", qos: .utility)

  /// Has tables created on a thread of their own.
  func create(_ setUps: [TableSetUp]) {
    for setUp in setUps {
      Self.queue.async { [mailbox = post.mailbox] in mailbox.send(.made(setUp.table, setUp.make())) }
    }
  }

  /// Frees the memory of large tables, which takes a while.
  func free(_ retired: consuming [TableState]) {
    guard !retired.isEmpty else { return }
    Self.queue.async { [retired] in withExtendedLifetime(retired) {} }
  }

  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: now)
    schedule.hasNews = true
  }
}
