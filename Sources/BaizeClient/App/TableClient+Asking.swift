import BaizeSync
public import BaizeTable
public import BaizeWire

// What an app asks for. Everything shows at once, without waiting for the network.
extension TableClient {
  // MARK: Reordering

  /// Moves or copies items, as a `reorderContainer` reports it.
  ///
  /// - Parameter suggested: What the drag offers; empty for all that the collection of the items offers.
  /// - Complexity: O(k log n) for k items, and what the rules cost.
  @discardableResult
  public func reorder(_ difference: ReorderDifference, suggested: DropOperation.Set = []) -> Submission {
    perform(.reorder(difference, suggested: suggested))
  }

  /// Moves the items at some offsets of a collection, as `onMove` reports it.
  ///
  /// Means what SwiftUI's `move(fromOffsets:toOffset:)` means: `destination` is an offset in the collection as it is
  /// before anything moves, the items keep their order, and an item moved to its own offset or the one behind stays.
  /// Offsets outside of the collection are refused `UNKNOWN_ITEM`.
  @discardableResult
  public func move(fromOffsets sources: RangeSet<Int>, toOffset destination: Int, in collection: String) -> Submission {
    let difference = shared.read { core -> Result<ReorderDifference, Refusal> in
      guard let state = core.replica?.state else { return .failure(Refusal(.notJoined)) }
      guard let handle = core.handles[collection] else { return .failure(.unknown(collection)) }
      return state.difference(fromOffsets: sources, toOffset: destination, in: handle)
    }
    switch difference {
    case .success(let difference): return reorder(difference, suggested: .move)
    case .failure(let refusal): return Submission(refused: refusal)
    }
  }

  /// Moves the items at some offsets of a collection: an `IndexSet`'s, in ascending order.
  @discardableResult
  public func move(
    fromOffsets sources: some Sequence<Int>, toOffset destination: Int, in collection: String
  ) -> Submission {
    var offsets = RangeSet<Int>()
    for offset in sources where offset < .max { offsets.insert(contentsOf: offset..<offset + 1) }
    return move(fromOffsets: offsets, toOffset: destination, in: collection)
  }

  // MARK: Items

  /// Brings new items to a collection; before `anchor`, or to its end.
  ///
  /// The items have provisional ids (``Submission/madeItems``) until the daemon names them.
  @discardableResult
  public func insert(_ items: [NewItem], in collection: String, before anchor: ItemID? = nil) -> Submission {
    guard let handle = handle(of: collection) else { return Submission(refused: .unknown(collection)) }
    return perform(
      .insert(items, Destination(collection: handle, position: Position(anchor: anchor ?? .none))))
  }

  @discardableResult
  public func remove(_ items: some Sequence<ItemID>) -> Submission { perform(.remove(ItemList(items))) }

  /// Changes what is on an item.
  ///
  /// - Parameters:
  ///   - attributes: To be set; one without a value is deleted, those not named stay.
  ///   - representations: In place of those that it has, if any are given.
  @discardableResult
  public func update(
    _ item: ItemID, attributes: [Attribute] = [], representations: [Representation] = []
  ) -> Submission {
    perform(.update(item, attributes: attributes, representations: representations))
  }

  /// Asks for an action that the table type names, such as `draw`.
  ///
  /// - Parameter items: What it is to be done with, where the action is about items; those that it always takes need not
  ///   be named.
  @discardableResult
  public func perform(
    _ action: String, items: some Sequence<ItemID> = EmptyCollection(), to destination: Destination? = nil
  ) -> Submission {
    perform(.perform(action: action, items: ItemList(items), destination))
  }

  /// Undoes an operation of one's own, answered or not.
  ///
  /// It is refused `UNDO_TOO_LATE` once anyone has touched what it touched since, and if it has shown a face that was
  /// hidden; `DEPENDS_ON_REFUSED` if it is refused itself. Several are undone last first; an undo may be undone in turn.
  @discardableResult
  public func undo(_ submission: Submission) -> Submission {
    guard let submitted = submission.submitted else {
      return Submission(refused: submission.refusal ?? Refusal(.undoTooLate))
    }
    return shared.undo(submitted)
  }

  /// Asks for what only the table's host may do. It shows when the daemon has done it.
  ///
  /// An invite that was asked for comes as the outcome, `.invited`.
  @discardableResult
  public func perform(_ action: HostAction) -> Submission { perform(action.operation) }

  /// Asks for anything.
  ///
  /// - Parameter sendsRefused: Whether what the local rules refuse is sent all the same, for the daemon to refuse.
  @discardableResult
  public func perform(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Submission {
    shared.submit(kind, sendsRefused: sendsRefused)
  }

  // MARK: Dragging

  /// Tells the others that items were lifted. One drag at a time: another one ends the one before.
  ///
  /// The daemon refuses to have items dragged that may not be lifted, or that another holds: then comes an event `.drag`
  /// with `isRefused`, and nobody else is told of the drag. It ends with the connection, and is told again when there is a
  /// new one.
  public func beginDrag(_ items: some Sequence<ItemID>, formation: Drag.Formation = .default) {
    shared.drag(Drag(phase: .began, items: ItemList(items), formation: formation))
  }

  /// Tells the others where the drag is. May be called for every movement: some thirty a second are sent, and the last.
  ///
  /// - Parameters:
  ///   - destination: What it is over, if over anything.
  ///   - x: In thousandths of the table's width, only for show; `y` of its height.
  public func moveDrag(
    over destination: Destination?, x: Int32 = 0, y: Int32 = 0, formation: Drag.Formation = .default
  ) {
    shared.drag(Drag(phase: .moved, over: destination, formation: formation, x: x, y: y))
  }

  /// Tells the others that the drag is over.
  ///
  /// - Parameter isCancelled: Whether nothing was dropped.
  public func endDrag(isCancelled: Bool = false) {
    shared.drag(Drag(phase: isCancelled ? .cancelled : .ended))
  }
}

extension Refusal {
  static func unknown(_ collection: String) -> Refusal {
    Refusal(.unknownCollection, detail: "the table has no collection called \(collection)")
  }
}

extension TableState {
  /// What moving the items at some offsets to another says in ids: before the item that has the offset now, whether it
  /// moves itself or not.
  ///
  /// - Complexity: O(k log n) for k items.
  func difference(
    fromOffsets sources: RangeSet<Int>, toOffset destination: Int, in collection: CollectionHandle
  ) -> Result<ReorderDifference, Refusal> {
    let count = count(in: collection)
    let outside = Refusal(.unknownItem, detail: "the collection has the offsets 0 to \(count)")
    guard (0...count).contains(destination), sources.isSubset(of: RangeSet(0..<count)) else { return .failure(outside) }
    var items = ItemList()
    for range in sources.ranges {
      for item in self.items(in: collection, from: range.lowerBound, limit: range.count) { items.append(item.id) }
    }
    let position = Position(anchor: item(at: destination, in: collection) ?? .none)
    return .success(
      ReorderDifference(sources: items, destination: Destination(collection: collection, position: position)))
  }
}
