import BaizeTable
import BaizeWire

/// The work that a shard may do in one turn. One unit is about one item, 64 bytes decoded or encoded, or 16 terms
/// of rules.
///
/// Every table has a small share of its own in each turn. Work beyond it is taken from a pool that all tables use; when the
/// pool is empty, such work waits for the next turn. Tables with light operations thus never wait for tables with heavy
/// ones, and all heavy operations of a turn together exceed the pool by at most one operation.
struct TurnBudget {
  static let bytesPerUnit = 64
  /// The estimated work of a move of one item, rules aside.
  static let moveWork = 2
  static let ruleTermsPerUnit = 16
  /// A node of an order has up to 32 items.
  static let nodesHashedPerUnit = 4

  private(set) var turn = 0
  /// The units left in the pool. If negative, the debt is paid in the next turns.
  private var pool = ServerLimits.turnWorkMax

  mutating func renew() {
    turn += 1
    pool = min(ServerLimits.turnWorkMax, pool + ServerLimits.turnWorkMax)
  }

  var isExhausted: Bool { pool <= 0 }

  /// Takes units for estimated work from a table's share, or from the pool.
  ///
  /// - Returns: Whether the work may be done now.
  @inline(__always) mutating func admits(_ units: Int, _ share: inout WorkShare) -> Bool {
    if share.take(units, in: turn) { return true }
    guard pool > 0 else { return false }
    pool -= units
    return true
  }

  /// Takes the cost of work that is done in any case from the pool.
  mutating func charge(_ units: Int) { pool -= units }

  /// Takes the cost of an operation beyond its estimate from the pool.
  @inline(__always) mutating func charge(beyond estimate: Int, _ units: Int) {
    if units > estimate { pool -= units - estimate }
  }
}

/// A table's guaranteed work per turn, before it draws on the pool.
struct WorkShare {
  /// The work of evaluating the rules for a move of one item at this table.
  let moveRules: Int
  private var remaining = ServerLimits.tableWorkMax
  private var turn = 0

  init(moveRules: Int = 0) { self.moveRules = moveRules }

  /// Takes units from the share of a turn.
  ///
  /// - Returns: Whether it covers all of them; otherwise none is taken.
  @inline(__always) mutating func take(_ units: Int, in turn: Int) -> Bool {
    if turn != self.turn {
      self.turn = turn
      remaining = ServerLimits.tableWorkMax
    }
    guard units <= remaining else { return false }
    remaining -= units
    return true
  }

  /// Returns whether ``take(_:in:)`` would succeed.
  func covers(_ units: Int, in turn: Int) -> Bool {
    units <= (turn == self.turn ? remaining : ServerLimits.tableWorkMax)
  }
}

extension ClientMessage {
  /// The estimated work of the message, rules aside. An undo counts like the largest operation.
  var workEstimate: Int {
    if case .operation(let operation) = self { operation.kind.workEstimate } else { 1 }
  }
}

extension TableOperation.Kind {
  fileprivate var workEstimate: Int {
    switch self {
    case .reorder(let difference, _): 1 + difference.sources.count
    case .insert(let items, _): 1 + items.count
    case .remove(let items), .perform(_, let items, _): 1 + items.count
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
