import BaizeSync
import BaizeTable
import BaizeTransport
import Dispatch

/// Tables that take longer to make than others should wait.
extension Shard {
  /// One after the other, whatever shard they are for: players come first.
  private static let setUpQueue = DispatchQueue(label: "baize.set-up", qos: .utility)

  /// Has tables made on a thread of their own.
  func make(_ setUps: [TableSetUp]) {
    for setUp in setUps {
      Self.setUpQueue.async { [mailbox = post.mailbox] in mailbox.send(.made(setUp.table, setUp.make())) }
    }
  }

  /// Lets go of what lay on large tables.
  func release(_ retired: consuming [TableState]) {
    guard !retired.isEmpty else { return }
    Self.setUpQueue.async { [retired] in withExtendedLifetime(retired) {} }
  }

  /// A table is made.
  func receive(_ table: MadeTable, named name: String) {
    machine.made(name, table, at: Instant(nanoseconds: loop.now))
    hasNews = true
  }
}
