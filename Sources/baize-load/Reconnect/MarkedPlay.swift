import BaizeBot
import BaizeSync
import BaizeTable

/// What a player does who is to leave traces: where the table type takes new items it makes marked ones, changes its own,
/// moves and removes any; elsewhere it does anything that the rules allow. Some of all that is to be refused.
struct MarkedPlay {
  struct Step {
    let kind: TableOperation.Kind
    /// The mark of the item that is removed or changed.
    var mark: Mark?
    /// Whether it is sent even if the rules refuse it here already.
    var sendsRefused = false
  }

  let player: Int
  private var random: RandomSource
  private var strategy = RandomStrategy(illegalShare: Self.illegalShare)
  private var lastMark = 0
  private var lastValue = 0

  private static let illegalShare = 0.1
  /// A table keeps about so many items: below it grows, above it shrinks.
  private static let itemsWanted = 120
  private static let attemptsMax = 8

  init(player: Int, random: RandomSource) {
    self.player = player
    self.random = random
  }

  /// - Returns: `nil` where nothing came to mind.
  mutating func next(at replica: Replica) -> Step? {
    let state = replica.state
    // The strategy waits while so much is unanswered, and would wait for ever while the daemon is away.
    strategy.pendingMax = .max
    guard let home = state.openCollection else {
      if below(100) < 4 { return insertion(in: state.anyCollection(&random), at: state) }
      switch strategy.next(at: replica, random: &random) {
      case .submit(let kind, let sendsRefused): return Step(kind: kind, sendsRefused: sendsRefused)
      case .wait: return nil
      case .done: return mischief(at: state)
      }
    }
    let grows = state.itemCount < Self.itemsWanted
    switch below(100) {
    case 0..<40: return move(at: state)
    case 40..<70: return grows ? insertion(in: home, at: state) : removal(at: state)
    case 70..<76: return removal(at: state)
    case 76..<90: return update(at: state)
    default: return mischief(at: state)
    }
  }

  private mutating func below(_ bound: Int) -> Int { Int(random.next(below: UInt64(bound))) }

  // MARK: Steps

  private mutating func move(at state: TableState) -> Step? {
    guard let item = anyItem(at: state) else { return nil }
    let target = state.anyCollection(&random)
    let difference = ReorderDifference(sources: ItemList(item), destination: place(in: target, at: state))
    return Step(kind: .reorder(difference, suggested: .move), sendsRefused: below(4) == 0)
  }

  private mutating func insertion(in collection: CollectionHandle, at state: TableState) -> Step {
    lastMark += 1
    let item = Mark(player: player, number: lastMark).newItem
    return Step(kind: .insert([item], place(in: collection, at: state)), sendsRefused: true)
  }

  private mutating func removal(at state: TableState) -> Step? {
    guard let item = anyItem(at: state) else { return nil }
    return Step(kind: .remove(ItemList(item)), mark: Mark(state.face(of: item)), sendsRefused: below(4) == 0)
  }

  /// Only the player's own items, so that no one else decides what stands there in the end.
  private mutating func update(at state: TableState) -> Step? {
    for _ in 0..<Self.attemptsMax {
      guard let item = anyItem(at: state), let mark = Mark(state.face(of: item)), mark.player == player else {
        continue
      }
      lastValue += 1
      return Step(kind: .update(item, attributes: [Mark.value(lastValue)], representations: []), mark: mark)
    }
    return nil
  }

  /// Something that no table takes.
  private mutating func mischief(at state: TableState) -> Step {
    let nowhere = ItemID(rawValue: 1 << 62)
    let home = state.anyCollection(&random)
    let kind: TableOperation.Kind =
      switch below(4) {
      case 0: .remove(ItemList(nowhere))
      case 1: .perform(action: "no-such-action", items: [], nil)
      case 2: .reorder(ReorderDifference(sources: [nowhere], destination: .end(of: home)), suggested: [])
      default: .insert([NewItem()], .end(of: CollectionHandle(rawValue: 1 << 20)))
      }
    return Step(kind: kind, sendsRefused: true)
  }

  // MARK: Places

  private mutating func anyItem(at state: TableState) -> ItemID? {
    for _ in 0..<Self.attemptsMax {
      let collection = state.anyCollection(&random)
      let count = state.count(in: collection)
      if count > 0 { return state.item(at: below(count), in: collection) }
    }
    return nil
  }

  private mutating func place(in collection: CollectionHandle, at state: TableState) -> Destination {
    let offset = below(state.count(in: collection) + 1)
    return state.item(at: offset, in: collection).map { .before($0, in: collection) } ?? .end(of: collection)
  }
}

extension TableState {
  /// A collection that takes new items.
  fileprivate var openCollection: CollectionHandle? {
    handles.first { type.kinds[type.collections[Int($0.rawValue) - 1].kind].accept.inserts }
  }

  fileprivate func anyCollection(_ random: inout RandomSource) -> CollectionHandle {
    CollectionHandle(rawValue: UInt32(random.next(below: UInt64(type.collections.count))) + 1)
  }
}
