public import BaizeSync
public import BaizeTable
public import BaizeWire

// Operations and drags. Each shows in the visible state before the call returns.
extension TableClient {
  // MARK: Reordering

  /// Moves or copies items, as a `reorderContainer` reports it.
  ///
  /// - Parameters:
  ///   - difference: The items and their destination.
  ///   - suggested: The operations the drag offers; empty for all that the items' collection offers.
  /// - Returns: The submission; its ``Submission/outcome`` is the daemon's answer.
  /// - Complexity: O(k log n) for k items in a collection of n, plus the cost of the rules.
  @discardableResult
  public func reorder(_ difference: ReorderDifference, suggested: DropOperation.Set = []) -> Submission {
    submit(.reorder(difference, suggested: suggested))
  }

  /// Moves the items at some offsets of a collection, as `onMove` reports it.
  ///
  /// The call has the meaning of SwiftUI's `move(fromOffsets:toOffset:)`: `destination` is an offset before anything
  /// moves, the items keep their order, and moving an item to its own offset or the next one changes nothing.
  ///
  /// - Parameters:
  ///   - sources: The offsets of the items.
  ///   - destination: An offset from 0 to the collection's count.
  ///   - collection: The collection's name, such as `pile/3`.
  /// - Returns: The submission; refused `UNKNOWN_ITEM` for an offset out of range, `UNKNOWN_COLLECTION` for a wrong name.
  /// - Complexity: O(k log n) for k items in a collection of n, plus the cost of the rules.
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

  /// Moves the items at the offsets of an `IndexSet`; see ``move(fromOffsets:toOffset:in:)-(RangeSet<Int>,_,_)``.
  @discardableResult
  public func move(
    fromOffsets sources: some Sequence<Int>, toOffset destination: Int, in collection: String
  ) -> Submission {
    var offsets = RangeSet<Int>()
    for offset in sources where offset < .max { offsets.insert(contentsOf: offset..<offset + 1) }
    return move(fromOffsets: offsets, toOffset: destination, in: collection)
  }

  /// Moves items to a collection, as one block in this order.
  ///
  /// - Parameters:
  ///   - items: The items, in any collections.
  ///   - collection: The collection's name, such as `doing`.
  ///   - anchor: The item to move before; `nil` for the end.
  /// - Returns: The submission; refused `UNKNOWN_COLLECTION` for a wrong name.
  /// - Complexity: O(k log n) for k items in a collection of n, plus the cost of the rules.
  @discardableResult
  public func move(
    _ items: some Sequence<ItemID>, to collection: String, before anchor: ItemID? = nil
  ) -> Submission {
    guard let handle = handle(of: collection) else { return Submission(refused: .unknown(collection)) }
    let destination = Destination(collection: handle, position: Position(anchor: anchor ?? .none))
    return reorder(ReorderDifference(sources: items, destination: destination), suggested: .move)
  }

  // MARK: Items

  /// Inserts new items into a collection.
  ///
  /// The items have ids at once (``Submission/createdItems``), which they keep for this client. More than fit into one
  /// operation are refused (`TOO_MANY_ITEMS`); ``insertInBatches(_:in:before:)`` divides them.
  ///
  /// - Parameters:
  ///   - items: The new items' faces, in order.
  ///   - collection: The collection's name, such as `todo`.
  ///   - anchor: The item to insert before; `nil` for the end.
  @discardableResult
  public func insert(_ items: [NewItem], in collection: String, before anchor: ItemID? = nil) -> Submission {
    guard let handle = handle(of: collection) else { return Submission(refused: .unknown(collection)) }
    return submit(
      .insert(items, Destination(collection: handle, position: Position(anchor: anchor ?? .none))))
  }

  /// Removes items from the table.
  @discardableResult
  public func remove(_ items: some Sequence<ItemID>) -> Submission { submit(.remove(ItemList(items))) }

  /// Changes the face of an item.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - attributes: The attributes to set. One without a value is deleted; the others stay as they are.
  ///   - representations: The new representations; empty to keep the present ones.
  @discardableResult
  public func update(
    _ item: ItemID, attributes: [Attribute] = [], representations: [Representation] = []
  ) -> Submission {
    submit(.update(item, attributes: attributes, representations: representations))
  }

  /// Performs an action that the table type defines, such as `draw`.
  ///
  /// - Parameters:
  ///   - action: The action's name.
  ///   - items: The items to act on. Leave out the items of an action that draws from a collection.
  @discardableResult
  public func perform(_ action: String, items: some Sequence<ItemID> = EmptyCollection()) -> Submission {
    submit(.perform(action: action, items: ItemList(items), nil))
  }

  /// Undoes one of this session's operations, acknowledged or pending.
  ///
  /// The undo is refused `UNDO_TOO_LATE` if anyone has touched the same items since, or if the operation revealed a hidden
  /// face, and `DEPENDS_ON_REFUSED` if the operation itself is refused. Undo several operations last first. An undo can
  /// be undone.
  @discardableResult
  public func undo(_ submission: Submission) -> Submission {
    guard let submitted = submission.submitted else {
      return Submission(refused: submission.refusal ?? Refusal(.undoTooLate))
    }
    return shared.undo(submitted)
  }

  /// Performs an action that only the table's host may perform, such as removing a player.
  ///
  /// It shows once the daemon has accepted it. The outcome of an invite is `.invited` with the invite.
  @discardableResult
  public func perform(_ action: HostAction) -> Submission { submit(action.operation) }

  /// Submits an operation of any kind.
  ///
  /// - Parameters:
  ///   - kind: The operation.
  ///   - id: The app's name for the operation, by which a later process can ask for its ``status(of:)``. With a session
  ///     store, an operation without one gets a random id.
  ///   - sendsRefused: Whether to send an operation that the local rules refuse, so that the daemon decides.
  @discardableResult
  public func submit(
    _ kind: TableOperation.Kind, id: OperationID? = nil, sendsRefused: Bool = false
  ) -> Submission {
    shared.submit(kind, id: id, sendsRefused: sendsRefused)
  }

  // MARK: Dragging

  /// Shows the other participants that this one has lifted items. A session has one drag at a time; a new one ends the
  /// previous one.
  ///
  /// The daemon refuses a drag of items that may not be lifted or that another participant is dragging: the client then
  /// gets an event `.drag` with `isRefused`, and no one else sees the drag. A drag ends with the connection and begins
  /// again after a reconnect.
  ///
  /// - Parameters:
  ///   - items: The lifted items.
  ///   - formation: The arrangement of the items' previews.
  public func beginDrag(_ items: some Sequence<ItemID>, formation: Drag.Formation = .default) {
    shared.drag(Drag(phase: .began, items: ItemList(items), formation: formation))
  }

  /// Shows the other participants where the drag is. Call it for every movement: at most thirty a second are sent, and
  /// always the last one.
  ///
  /// - Parameters:
  ///   - destination: The destination under the drag, if any.
  ///   - x: The position in thousandths of the table's width. Presentation only; the rules do not read it.
  ///   - y: The position in thousandths of the table's height.
  ///   - formation: The arrangement of the items' previews.
  public func moveDrag(
    over destination: Destination?, x: Int32 = 0, y: Int32 = 0, formation: Drag.Formation = .default
  ) {
    shared.drag(Drag(phase: .moved, over: destination, formation: formation, x: x, y: y))
  }

  /// Ends the drag for the other participants.
  ///
  /// - Parameter isCancelled: Whether the items return to where they were; `false` after a drop.
  public func endDrag(isCancelled: Bool = false) {
    shared.drag(Drag(phase: isCancelled ? .cancelled : .ended))
  }

  // MARK: Presence

  /// Sets this participant's own value of presence, such as a cursor, a colour, or "is typing": bytes that the app defines.
  /// Call it for every change: at most some twenty a second are sent, and always the last one. The value ends with the
  /// connection, and is sent again after a reconnect. Spectators have none.
  ///
  /// - Parameter value: At most 256 bytes; empty for none.
  /// - Returns: The reason why the value is not taken; `nil` if it is.
  @discardableResult
  public func setPresence(_ value: some Sequence<UInt8>) -> Refusal? { shared.setPresence(Array(value)) }

  /// Sends a message to everyone at the table. Each who is connected, this client included, gets an event `.chat`; nobody
  /// gets it later. The daemon refuses messages that come too fast: then only this client gets the event, with `refusal`.
  ///
  /// - Parameters:
  ///   - text: At most 1,024 bytes of UTF-8, which the others receive as they are.
  ///   - kind: The app's name for this kind of message, such as `emote`, at most 32 bytes; empty for a text for people.
  /// - Returns: The reason why it is not sent; `nil` if it is.
  @discardableResult
  public func say(_ text: String, kind: String = "") -> Refusal? { shared.send(Chat(kind: kind, text: text)) }
}

extension Refusal {
  static func unknown(_ collection: String) -> Refusal {
    Refusal(.unknownCollection, detail: "the table has no collection called \(collection)")
  }
}

extension TableState {
  /// Translates a move by offsets into item ids: the anchor is the item at `destination`, whether it moves or not.
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
