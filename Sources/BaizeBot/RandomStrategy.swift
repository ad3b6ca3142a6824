public import BaizeSync
public import BaizeTable

/// A strategy that submits random operations which the rules allow, on a table of any type: moves of one or more items,
/// copies, deletions, insertions, updates and actions.
///
/// - Complexity: O(log n) per step on a table of n items.
public struct RandomStrategy: Strategy {
  /// The number of pending operations at which the strategy waits.
  public var pendingMax = 8
  /// The maximum number of items in one operation.
  public var itemsMax = 4
  /// The maximum number of items that the strategy adds to the table on balance.
  public var growthMax = 40
  /// The number of items at which the strategy stops removing any.
  public var itemsKept = 8
  /// The share of operations, from 0 to 1, that the daemon is to refuse.
  public var illegalShare: Double

  private var growth = 0

  /// Creates a strategy.
  ///
  /// - Parameter illegalShare: The share of operations, from 0 to 1, that the daemon is to refuse.
  public init(illegalShare: Double = 0) { self.illegalShare = illegalShare }

  public mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    if let conclusion = state.conclusion { return .done(conclusion) }
    guard replica.pending.count < pendingMax, replica.author.seat != .spectator else { return .wait }
    var generator = OperationGenerator(replica: replica, itemsMax: itemsMax, random: random)
    defer { random = generator.random }
    if generator.chance(illegalShare) { return .submit(generator.illegal(), sendsRefused: true) }
    let mayGrow = growth < growthMax
    let mayShrink = state.itemCount > itemsKept
    for _ in 0..<Self.attemptsMax {
      guard let kind = generator.operation(mayGrow: mayGrow, mayShrink: mayShrink) else { continue }
      return .submit(kind)
    }
    return .wait
  }

  public mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {
    guard case .accepted(let diff) = answer else { return }
    for change in diff.changes {
      switch (change, kind) {
      case (.inserted(let items, _), .insert), (.inserted(let items, _), .reorder): growth += items.count
      case (.removed(let items), .remove), (.removed(let items), .reorder): growth -= items.count
      default: break
      }
    }
  }

  /// The number of attempts to generate an operation before the strategy waits.
  private static let attemptsMax = 32
}
