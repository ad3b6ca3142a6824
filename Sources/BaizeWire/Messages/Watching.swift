public import BaizeTable

/// Who watches a table. Never part of the state. (`Watching` in the wire contract.)
public struct Watching: Hashable, Sendable {
  /// The number of people who are connected and have no seat.
  public var count: UInt32
  /// Of those who ask for a seat, some who have waited longest, with one session of each.
  public var asking: [SessionID]

  /// Creates a value; without arguments, that nobody watches.
  public init(count: UInt32 = 0, asking: [SessionID] = []) {
    self.count = count
    self.asking = asking
  }
}
