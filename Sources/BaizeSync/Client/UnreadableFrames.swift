import BaizeTable

/// The number of connections in a row that ended because one side could not read the other's bytes.
///
/// Such a connection is resumed; but what caused it may be sent again, and would end every connection.
struct UnreadableFrames: Sendable {
  private(set) var count: UInt64 = 0
  private var last = Instant(nanoseconds: 0)

  /// Counts a connection.
  ///
  /// - Returns: Whether it was the last that is resumed.
  @discardableResult mutating func note(at now: Instant) -> Bool {
    let isRecent = now.milliseconds(since: last) <= 1_000 * ClientLimits.unreadableSeconds
    count = isRecent ? count + 1 : 1
    last = now
    return count >= ClientLimits.unreadableConnectionsMax
  }
}
