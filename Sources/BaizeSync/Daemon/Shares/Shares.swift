import BaizeTable

/// The one rule by which accounts share what is limited: *of what is free, an account may hold as large a part as is free of the
/// whole*.
///
/// With a limit M and a sum S of what all accounts hold, an account that holds x may grow by g exactly if, with what is free then,
/// F = M − S − g:
///
/// ```
/// (x + g) / M ≤ (F / M)²
/// ```
///
/// - One account alone stops at 38 % of M, where 0.38 = 0.62².
/// - k accounts leave at least M/(k + 1) free, in whatever order they take all that they can. For let f(k) be the part that is free
///   after the k-th has grown for the last time. The later ones only take more, so that f(k) + f(k)² ≥ f(k − 1), and f(0) = 1.
///   If f(k − 1) ≥ 1/k, then f(k) ≥ 1/(k + 1), since 1/(k + 1) + 1/(k + 1)² = (k + 2)/(k + 1)² < 1/k.
/// - Whoever holds little may grow, whatever the others do. No account has to give anything back when the others grow.
///
/// The rule "at most as much as is still free", the dynamic threshold of buffers in switches (A. K. Choudhury and E. L. Hahne,
/// IEEE/ACM Transactions on Networking 6, 1998), leaves 1/(k + 1) where buffers drain. Tables stay: of k accounts that come one after
/// the other, each would take half of what is left, and leave 1/2ᵏ.
///
/// An account of a weight w may hold w times as much: k of them leave at least M/(w k + 1). So a network that many people share stops
/// later than one of them, and leaves something, too.
public struct Shares: Hashable, Sendable, BitwiseCopyable {
  /// What all accounts may hold.
  public let limit: Int
  /// What no account holds; negative if they hold more than the limit.
  public let free: Int

  /// The share of everything that is divided without a limit.
  public static let unlimited = Shares(of: .max, held: 0)

  /// - Parameters:
  ///   - limit: What all accounts may hold.
  ///   - held: What they hold.
  public init(of limit: Int, held: Int) {
    self.limit = max(0, limit)
    free = limit == .max ? .max : self.limit - max(0, held)
  }

  /// The same, as if at least a part of the limit were free: of what is given up when it is too much, history and sessions, an
  /// account may always hold something.
  public func leaving(divisor: Int) -> Shares {
    limit == .max ? self : Shares(of: limit, held: limit - max(free, limit / divisor))
  }

  /// Returns by how much an account may grow.
  ///
  /// - Parameters:
  ///   - own: What it holds.
  ///   - weight: The multiple of a share that it may hold.
  /// - Returns: At least 0.
  public func room(beside own: Int, weight: Int = 1) -> Int {
    guard limit < .max else { return .max / 8 }
    guard free > 0, allows(own, leaving: free, weight) else { return 0 }
    // What is free then, F, solves w F² + M F = M (x + free).
    let (whole, times) = (Double(limit), Double(weight))
    let left = ((whole * whole + 4 * times * whole * (Double(own) + Double(free))).squareRoot() - whole) / (2 * times)
    var growth = min(free, max(0, free - Int(left)))
    while growth > 0, !allows(own + growth, leaving: free - growth, weight) { growth -= 1 }
    return growth
  }

  /// The most that an account of weight 1 may hold with what is free now.
  public var most: Int {
    guard limit < .max else { return .max / 8 }
    return free > 0 ? Int(Double(free) * Double(free) / Double(limit)) : 0
  }

  /// Returns whether an account holds more than it could have taken.
  public func isExceeded(by own: Int, weight: Int = 1) -> Bool {
    limit < .max && own > 0 && (free <= 0 || !allows(own, leaving: free, weight))
  }

  private func allows(_ own: Int, leaving free: Int, _ weight: Int) -> Bool {
    let (times, overflows) = free.multipliedReportingOverflow(by: weight)
    guard !overflows else { return true }
    let (held, allowed) = (max(0, own).multipliedFullWidth(by: limit), free.multipliedFullWidth(by: times))
    return (held.high, held.low) <= (allowed.high, allowed.low)
  }
}

/// What an account holds of each thing that is shared, in bytes.
struct ShareAmounts: Hashable, Sendable, BitwiseCopyable {
  /// Memory, by the marks of ``MemoryMark``.
  var memory = 0
  /// The part of it that sessions take.
  var sessions = 0
  /// Contents of tables, by ``SyncLimits/Tables/contentBytesPerShardMax``.
  var contents = 0
  /// Floors of tables (``ServerLimits/tableFloorBytes``), by the reserve for them.
  var floors = 0

  var isNothing: Bool { memory == 0 && sessions == 0 && contents == 0 && floors == 0 }

  static func + (left: Self, right: Self) -> Self {
    ShareAmounts(
      memory: left.memory + right.memory, sessions: left.sessions + right.sessions,
      contents: left.contents + right.contents, floors: left.floors + right.floors)
  }

  static func - (left: Self, right: Self) -> Self {
    ShareAmounts(
      memory: left.memory - right.memory, sessions: left.sessions - right.sessions,
      contents: left.contents - right.contents, floors: left.floors - right.floors)
  }
}
