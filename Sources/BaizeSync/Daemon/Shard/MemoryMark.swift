/// The measures against a shortage of memory: each includes those before it.
public enum MemoryMark: Int, Comparable, CaseIterable, Sendable {
  /// None.
  case normal
  /// No new table is made or loaded, and no table grows beyond its share.
  case refusing
  /// The daemon gives up what only serves comfort: history, undo, records for catching up, absent sessions without a
  /// seat, and tables without members.
  case shedding
  /// No table grows, members that do not read get a snapshot later, and the connections that use the most are disconnected.
  case disconnecting

  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// The share of the limit, in percent, from which it holds.
  public var percent: Int {
    switch self {
    case .normal: 0
    case .refusing: 75
    case .shedding: 85
    case .disconnecting: 95
    }
  }

  /// Returns the mark for so many bytes.
  ///
  /// - Parameter last: The present mark, which holds until less than some percent below it are used.
  public static func mark(bytes: Int, of limit: Int, after last: MemoryMark) -> MemoryMark {
    allCases.last { mark in
      let percent = mark <= last ? mark.percent - hysteresisPercent : mark.percent
      return mark == .normal || bytes >= limit / 100 * percent
    } ?? .normal
  }

  /// Returns the number of bytes from which it holds.
  public func beginBytes(of limit: Int) -> Int { limit / 100 * percent }

  /// Returns the number of bytes below which it ends.
  public func endBytes(of limit: Int) -> Int { limit / 100 * (percent - Self.hysteresisPercent) }

  private static let hysteresisPercent = 3
}
