/// Tickets for one WebSocket each.
struct AdminTickets {
  private var ends: [String: UInt64] = [:]

  private static let ticketsMax = 64
  private static let nanoseconds: UInt64 = 30_000_000_000

  /// Issues a ticket, which is good for half a minute. The oldest of many is void.
  mutating func issue(at now: UInt64) -> String {
    if ends.count >= Self.ticketsMax, let oldest = ends.min(by: { $0.value < $1.value })?.key { ends[oldest] = nil }
    let ticket = (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined(separator: "-")
    ends[ticket] = now + Self.nanoseconds
    return ticket
  }

  /// Returns whether a ticket is good, once.
  mutating func use(_ ticket: String, at now: UInt64) -> Bool {
    guard let end = ends.removeValue(forKey: ticket) else { return false }
    return now < end
  }
}
