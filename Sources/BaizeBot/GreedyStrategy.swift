public import BaizeSync
public import BaizeTable

/// A strategy that plays by what its seat sees: it tries what the rules allow, and does what its game values most.
///
/// Klondike has a search of its own (``KlondikeStrategy``). At every other table, ``LookAheadStrategy`` tries operations on
/// a copy of the table, and a ``GameScoring`` rates the results. A table type that nobody has written a scoring for is taken for a
/// workflow, whose items move on to later collections.
public struct GreedyStrategy: Strategy {
  /// The strategy for the table's type, from the first decision on.
  private var chosen: (any Strategy)?

  /// Creates a strategy without knowledge of the table.
  public init() {}

  public mutating func observe(_ replica: Replica) {
    if chosen == nil { chosen = Self.strategy(for: replica.state.type) }
    chosen?.observe(replica)
  }

  public mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    if chosen == nil { chosen = Self.strategy(for: replica.state.type) }
    return chosen?.next(at: replica, random: &random) ?? .wait
  }

  public mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {
    chosen?.received(answer, to: kind)
  }

  private static func strategy(for type: TableType) -> any Strategy {
    if KlondikeLayout(type) != nil { return KlondikeStrategy() }
    return LookAheadStrategy(scoring(for: type))
  }

  private static func scoring(for type: TableType) -> any GameScoring {
    switch type.name {
    case "hearts": HeartsScoring()
    case "hand": RummyScoring()
    case "speed": SpeedScoring()
    case "nerts": NertsScoring()
    case "playlist": PlaylistScoring()
    case "board": BoardScoring()
    case "list", "grid": OrderScoring()
    default: WorkflowScoring()
    }
  }
}
