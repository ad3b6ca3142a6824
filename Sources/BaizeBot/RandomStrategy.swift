public import BaizeSync
public import BaizeTable

/// Does anything that the rules allow, on a table of any type: moves of one item or several to where the table's rules
/// take them, copies, deletions, insertions, updates, actions.
///
/// A step costs O(log n) on a table of n items: items are picked by their place.
public struct RandomStrategy: Strategy {
  /// How many operations may be unanswered before the strategy waits.
  public var pendingMax = 8
  /// How many items one operation names at most.
  public var itemsMax = 4
  /// How many items more than it took away the strategy makes at most.
  public var growthMax = 40
  /// The table keeps at least so many items.
  public var itemsKept = 8
  /// The share of operations that are refused on purpose, of 1.
  public var illegalShare: Double

  private var growth = 0

  /// - Parameter illegalShare: How much of what it does is to be refused by the daemon, from 0 to 1.
  public init(illegalShare: Double = 0) { self.illegalShare = illegalShare }

  public mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    if let conclusion = state.conclusion { return .done(conclusion) }
    guard replica.pending.count < pendingMax, replica.author.seat != .spectator else { return .wait }
    var pick = Pick(replica: replica, itemsMax: itemsMax, random: random)
    defer { random = pick.random }
    if pick.chance(illegalShare) { return .submit(pick.illegal(), sendsRefused: true) }
    let mayGrow = growth < growthMax
    let mayShrink = state.itemCount > itemsKept
    for _ in 0..<Self.attemptsMax {
      guard let kind = pick.operation(mayGrow: mayGrow, mayShrink: mayShrink) else { continue }
      return .submit(kind)
    }
    return .wait
  }

  public mutating func hear(_ answer: Answer, to kind: TableOperation.Kind) {
    guard case .accepted(let diff) = answer else { return }
    for change in diff.changes {
      switch (change, kind) {
      case (.inserted(let items, _), .insert), (.inserted(let items, _), .reorder): growth += items.count
      case (.removed(let items), .remove), (.removed(let items), .reorder): growth -= items.count
      default: break
      }
    }
  }

  /// How often it looks for something to do before it waits.
  private static let attemptsMax = 32
}
