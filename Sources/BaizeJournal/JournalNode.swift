internal import BaizeTransport
internal import Synchronization

/// A daemon's part in a group of daemons, its nodes, that have the same journal in PostgreSQL: one of them serves, the others wait.
///
/// The one that serves has the journal's lease, and renews it about once a second. A node that waits takes the lease once it is
/// given up, or has not changed for ``leaseNanoseconds`` by the node's own clock. What is written depends on no clock: the node that
/// had the lease before can make nothing durable any more (see `PostgresJournal`). Nor does it show anything: it counts from the
/// moment at which it sent its last renewal that was answered, and ends before another node may have taken over.
///
/// ```
/// a ──renews──┬──────── ✕ no answer ─────── 2.5 s: ends, shows nothing more
/// b           └─ looks, each 0.25 s: unchanged ──── 3 s: takes the lease, loads tables, listens
/// ```
public final class JournalNode: Sendable {
  /// The node's name, which no other node of the group has. An earlier start of the same name gives way at once.
  public let name: String
  private let report: @Sendable (String) -> Void
  private let isAwaited = Atomic(true)
  /// The time at which the lease may be another node's, in nanoseconds of ``ElapsedClock``; none before the node has it.
  private let end = Atomic(UInt64.max)

  /// The time for which a lease that does not change is its node's.
  public static let leaseNanoseconds: UInt64 = 3_000_000_000
  /// The time after the last renewal for which a node shows what it has. The rest is for what is on its way.
  static let shownNanoseconds: UInt64 = 2_500_000_000
  /// The interval at which a node that waits looks at the lease.
  static let lookNanoseconds: UInt64 = 250_000_000
  /// The maximum length of a name, in bytes of UTF-8.
  public static let nameBytesMax = 64

  /// - Parameters:
  ///   - name: 1 to ``nameBytesMax`` letters, digits, points, hyphens and underscores.
  ///   - report: Receives what the node waits for, in sentences for the operator.
  public init(_ name: String, report: @escaping @Sendable (String) -> Void) {
    (self.name, self.report) = (name, report)
  }

  /// Returns whether a text can be a node's name.
  public static func isName(_ text: String) -> Bool {
    (1...nameBytesMax).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        $0.isASCII
          && ($0.properties.isAlphabetic || $0.properties.numericType != nil || ".-_".unicodeScalars.contains($0))
      }
  }

  /// Whether another node may have the lease: nothing may leave this one any more. Any thread may ask. Costs a reading of a clock.
  public var isOverdue: Bool {
    let end = end.load(ordering: .relaxed)
    return end != .max && ElapsedClock.now() >= end
  }

  /// Whether the node waits for the lease. Any thread may ask.
  public var isWaiting: Bool { end.load(ordering: .relaxed) == .max }

  /// Has the node stop waiting for the lease.
  public func stopWaiting() { isAwaited.store(false, ordering: .relaxed) }

  /// Whether the node goes on waiting for the lease.
  var waits: Bool { isAwaited.load(ordering: .relaxed) }

  func says(_ sentence: String) { report(sentence) }

  /// Notes that the lease was renewed.
  ///
  /// - Parameter sent: When the renewal was sent, in nanoseconds of ``ElapsedClock``.
  func renewed(at sent: UInt64) { end.store(sent + Self.shownNanoseconds, ordering: .relaxed) }
}
