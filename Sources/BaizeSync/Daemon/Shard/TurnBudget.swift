import BaizeTable
import BaizeWire

/// The work that a shard may do in one turn. One unit is about one item, 64 bytes decoded or encoded, 16 terms of rules, 64
/// deliveries of a small frame, or 16 steps in what a table remembers.
///
/// Every table has a small share of its own in each round, and a round is mostly a turn. Work beyond it is taken from a pool
/// that all tables use; when the pool is empty, such work waits for the next turn. Tables with light operations thus never wait
/// for tables with heavy ones, and all heavy operations of a turn together exceed the pool by at most one operation.
///
/// All shares together are bounded in each turn, too. When so many tables are active that they exceed the bound, the round goes
/// on in the next turns: a table that has used its share waits until the others have had theirs.
struct TurnBudget {
  static let bytesPerUnit = 64
  /// The estimated work of a move of one item, rules aside.
  static let moveWork = 2
  /// The estimated work of any other operation, besides its items and the rules: decoding, planning, recording and encoding it.
  static let operationWork = 6
  static let ruleTermsPerUnit = 16
  /// A node of an order has up to 32 items.
  static let nodesHashedPerUnit = 4
  /// A step of a search in a table's history.
  static let stepsPerUnit = 16
  /// A delivery is one frame for one recipient.
  private static let deliveriesPerUnit = 64
  private static let bytesDeliveredPerUnit = 16 << 10

  /// Returns the work of sending frames, once each is encoded.
  @inline(__always) static func work(ofDeliveries count: Int, bytes: Int) -> Int {
    count / deliveriesPerUnit + bytes / bytesDeliveredPerUnit
  }

  /// The number of rounds that have ended.
  private(set) var round = 0
  /// The units left in the pool. If negative, the debt is paid in the next turns.
  private var pool = ServerLimits.turnWorkMax
  /// The units left for all shares in this turn.
  private var shares = ServerLimits.sharesWorkMax
  /// Whether a table did not get what was left of its share, so that the round does not end with the turn.
  private var isRationed = false

  /// Begins the next turn.
  ///
  /// - Parameter addsToPool: Whether there is work for all again beyond the shares of tables.
  mutating func renew(addsToPool: Bool = true) {
    if addsToPool { pool = min(ServerLimits.turnWorkMax, pool + ServerLimits.turnWorkMax) }
    shares = ServerLimits.sharesWorkMax
    if !isRationed { round += 1 }
    isRationed = false
  }

  var isExhausted: Bool { pool <= 0 }

  /// Takes units for estimated work from a table's share, or from the pool.
  ///
  /// - Returns: Whether the work may be done now.
  @inline(__always) mutating func admits(_ units: Int, _ share: inout WorkShare) -> Bool {
    share.renew(in: round)
    if units <= share.remaining {
      if units <= shares {
        share.take(units)
        shares -= units
        return true
      }
      isRationed = true
    }
    guard pool > 0 else { return false }
    pool -= units
    return true
  }

  /// Returns whether ``admits(_:_:)`` would take units from a table's share.
  func covers(_ units: Int, _ share: WorkShare) -> Bool {
    var share = share
    share.renew(in: round)
    return units <= share.remaining && units <= shares
  }

  /// Takes the cost of work that is done in any case from the pool.
  mutating func charge(_ units: Int) { pool -= units }

  /// Takes the cost of an operation beyond its estimate from the pool, and from the shares as well: operations that are often
  /// worth more than their estimate wait until their table has paid for the last ones, however many tables have such.
  @inline(__always) mutating func charge(beyond estimate: Int, _ units: Int, _ share: inout WorkShare) {
    guard units > estimate else { return }
    pool -= units - estimate
    shares -= units - estimate
    share.renew(in: round)
    share.take(units - estimate)
  }
}

/// A table's guaranteed work per round, before it draws on the pool.
struct WorkShare {
  /// The work of evaluating the rules for a move of one item at this table.
  let moveRules: Int
  /// The units left in the round. If negative, the debt is paid in the next rounds.
  private(set) var remaining = ServerLimits.tableWorkMax
  private var round = 0

  init(moveRules: Int = 0) { self.moveRules = moveRules }

  /// Adds what the rounds since the last use have brought.
  @inline(__always) mutating func renew(in round: Int) {
    guard round != self.round else { return }
    remaining = min(ServerLimits.tableWorkMax, remaining + (round - self.round) * ServerLimits.tableWorkMax)
    self.round = round
  }

  @inline(__always) mutating func take(_ units: Int) { remaining -= units }
}

extension ClientMessage {
  /// The estimated work of the message, rules aside.
  var workEstimate: Int {
    if case .operation(let operation) = self { TurnBudget.operationWork + operation.kind.itemEstimate } else { 1 }
  }

  /// Returns the estimated work of evaluating a table type's rules for the message.
  func ruleWork(_ cost: RuleCost) -> Int {
    if case .operation(let operation) = self { cost.units(items: max(1, operation.kind.itemEstimate)) } else { 0 }
  }
}

extension TableOperation.Kind {
  /// The number of items that the operation names or brings. An undo counts like the largest operation.
  fileprivate var itemEstimate: Int {
    switch self {
    case .reorder(let difference, _): difference.sources.count
    case .insert(let items, _): items.count
    case .remove(let items), .perform(_, let items, _): items.count
    case .undo: TableLimits.itemsPerOperationMax
    case .update, .unknown, .invalid: 1
    }
  }
}

extension RuleCost {
  /// Returns the work of evaluating the rules for an operation on so many items, in units.
  func units(items: Int) -> Int {
    (perOperation + items * perItem + TurnBudget.ruleTermsPerUnit - 1) / TurnBudget.ruleTermsPerUnit
  }
}
