import BaizeBot
import BaizeSync
import BaizeTable

/// A strategy that plays any bundled card game towards its end: it examines every legal move and picks one that makes
/// progress, or else any.
struct CardStrategy: Strategy {
  /// The collections in which cards stay.
  private static let goals: Set<String> = ["foundation", "set", "run", "centre"]
  /// The number of decisions out of 8 that are random.
  private static let randomShare: UInt64 = 2

  mutating func next(at replica: Replica, random: inout RandomSource) -> Decision {
    let state = replica.state
    guard state.status == TableState.open else { return .done(.over(state.status)) }
    // Do not build on predictions: wait for the answers.
    guard replica.pending.isEmpty else { return .wait }
    let seat = replica.author.seat
    guard state.seatToMove ?? seat == seat else { return .wait }
    let moves = Self.sources(at: state, by: seat).flatMap { Self.moves(of: $0, at: state, by: seat) }
    let goals = moves.filter { Self.goals.contains(Self.kind($0.destination.collection, state).name) }
    if !goals.isEmpty, random.next(below: 8) >= Self.randomShare {
      return .submit(.reorder(Self.one(of: goals, &random), suggested: []))
    }
    let actions = state.type.actions.map { TableOperation.Kind.perform(action: $0.name, items: [], nil) }
    let rest = actions + actions + moves.map { .reorder($0, suggested: []) }
    return .submit(Self.one(of: rest, &random), sendsRefused: false)
  }

  mutating func received(_ answer: Answer, to kind: TableOperation.Kind) {}

  private static func one<Element>(of elements: [Element], _ random: inout RandomSource) -> Element {
    elements[Int(random.next(below: UInt64(elements.count)))]
  }

  private static func kind(_ handle: CollectionHandle, _ state: TableState) -> CollectionKind {
    state.kind(of: handle)
  }

  /// Returns the collections that accept the sources. Cheap checks come first, since each refusal costs a backtrace.
  private static func moves(of sources: ItemList, at state: TableState, by seat: SeatNumber) -> [ReorderDifference] {
    let source = state.collection(of: sources[0])
    return state.handles.compactMap { handle in
      guard handle != source, isVisible(handle, state, to: seat), fits(sources, handle, state) else { return nil }
      let move = ReorderDifference(sources: sources, destination: .end(of: handle))
      return state.dropConfiguration(for: move, by: seat).operation == .move ? move : nil
    }
  }

  private static func isVisible(_ handle: CollectionHandle, _ state: TableState, to seat: SeatNumber) -> Bool {
    let owner = state.rules(of: handle).owner
    return owner == seat || owner == .spectator
  }

  private static func fits(_ sources: ItemList, _ handle: CollectionHandle, _ state: TableState) -> Bool {
    let accept = kind(handle, state).accept
    guard !accept.operations.isEmpty, let source = state.collection(of: sources[0]) else { return false }
    guard accept.from?.contains(source) ?? true else { return false }
    let rank = state.face(of: sources[0])?["rank"]
    let count = state.count(in: handle)
    switch kind(handle, state).name {
    case "foundation": return rank == .number(Int64(count) + 1)
    case "set": return state.rules(of: handle).attributes.contains { $0.value == rank }
    case "run": return count == 0 ? sources.count > 2 : sources.count == 1
    default: return true
    }
  }

  // MARK: Candidates

  private static func sources(at state: TableState, by seat: SeatNumber) -> [ItemList] {
    state.handles.filter { isVisible($0, state, to: seat) }.flatMap { handle -> [ItemList] in
      let items = state.itemIDs(in: handle)
      switch kind(handle, state).lift.shape {
      case .none: return []
      case .top: return items.suffix(1).map { [$0] }
      case .run: return items.indices.map { ItemList(items[$0...]) }
      case .any: return items.map { [$0] } + melds(of: items, at: state)
      }
    }
  }

  /// Returns three cards of one rank, and runs of three.
  private static func melds(of items: [ItemID], at state: TableState) -> [ItemList] {
    var melds: [ItemList] = []
    for first in items {
      let next = items.first { follows($0, first, state) }
      if let next, let last = items.first(where: { follows($0, next, state) }) { melds.append([first, next, last]) }
      let equals = items.filter { state.face(of: $0)?["rank"] == state.face(of: first)?["rank"] }
      if equals.count > 2, equals[0] == first { melds.append(ItemList(equals)) }
    }
    return melds
  }

  private static func follows(_ item: ItemID, _ below: ItemID, _ state: TableState) -> Bool {
    guard case .number(let rank)? = state.face(of: item)?["rank"],
      case .number(let other)? = state.face(of: below)?["rank"]
    else { return false }
    return rank == other + 1 && state.face(of: item)?["suit"] == state.face(of: below)?["suit"]
  }
}
