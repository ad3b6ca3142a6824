import BaizeSync
import BaizeTable
import BaizeTransport

/// Going: everyone is told when to come back.
extension Shard {
  /// The shard that accepts hears of it first and passes it on: what it sent to other shards before stands in front, so
  /// that a connection under way is told too.
  func shutDown() {
    guard stopsAt == nil else { return }
    stopsAt = loop.now + ServerLimits.stopNanoseconds
    if let listener {
      loop.stopListening(listener)
      for other in posts where other.index != post.index { other.mailbox.send(.shutDown) }
    }
    machine.shutDown(at: Instant(nanoseconds: loop.now))
    hasNews = true
  }
}
