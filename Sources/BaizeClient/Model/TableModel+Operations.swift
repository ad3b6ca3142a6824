import BaizeSync
public import BaizeTable

// Operations of the user interface. Each shows in the model before the call returns.
extension TableModel {
  /// Moves or copies items, as a `reorderContainer` reports it; see ``TableClient/reorder(_:suggested:)``.
  @discardableResult
  public func reorder(_ difference: ReorderDifference, suggested: DropOperation.Set = []) -> Submission {
    performed(client.reorder(difference, suggested: suggested))
  }

  /// Moves items by offsets, as `onMove` reports it; see ``TableClient/move(fromOffsets:toOffset:in:)-(RangeSet<Int>,_,_)``.
  @discardableResult
  public func move(
    fromOffsets sources: some Sequence<Int>, toOffset destination: Int, in collection: String
  ) -> Submission {
    performed(client.move(fromOffsets: sources, toOffset: destination, in: collection))
  }

  /// Moves items to a collection; see ``TableClient/move(_:to:before:)``.
  @discardableResult
  public func move(
    _ items: some Sequence<ItemID>, to collection: String, before anchor: ItemID? = nil
  ) -> Submission {
    performed(client.move(items, to: collection, before: anchor))
  }

  /// Inserts new items; see ``TableClient/insert(_:in:before:)``.
  @discardableResult
  public func insert(_ items: [NewItem], in collection: String, before anchor: ItemID? = nil) -> Submission {
    performed(client.insert(items, in: collection, before: anchor))
  }

  /// Inserts any number of new items by several operations; see ``TableClient/insertInBatches(_:in:before:)``.
  @discardableResult
  public func insertInBatches(
    _ items: [NewItem], in collection: String, before anchor: ItemID? = nil
  ) -> [Submission] {
    client.insertInBatches(items, in: collection, before: anchor).map(shown)
  }

  /// Removes items from the table.
  @discardableResult
  public func remove(_ items: some Sequence<ItemID>) -> Submission { performed(client.remove(items)) }

  /// Changes the face of an item; see ``TableClient/update(_:attributes:representations:)``.
  @discardableResult
  public func update(
    _ item: ItemID, attributes: [Attribute] = [], representations: [Representation] = []
  ) -> Submission {
    performed(client.update(item, attributes: attributes, representations: representations))
  }

  /// Performs an action that the table type defines, such as `draw`; see ``TableClient/perform(_:items:)``.
  @discardableResult
  public func perform(_ action: String, items: some Sequence<ItemID> = EmptyCollection()) -> Submission {
    performed(client.perform(action, items: items))
  }

  /// Inserts new items at a gap; see ``TableClient/insert(_:in:before:)``.
  @discardableResult
  public func insert(_ items: [NewItem], at destination: Destination) -> Submission {
    performed(client.submit(.insert(items, destination)))
  }

  /// Performs an action that only the table's host may perform, such as removing a player. It cannot be undone.
  @discardableResult
  public func perform(_ action: HostAction) -> Submission { shown(client.perform(action)) }

  /// Returns the local rules' verdict on a drop, for a `dropConfiguration` closure.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    client.dropConfiguration(for: difference, suggested: suggested)
  }

  /// Returns the collections that would accept some items; see ``TableClient/legalDestinations(for:suggested:)``.
  public func legalDestinations(for items: [ItemID]) -> [LegalDestination] { client.legalDestinations(for: items) }

  func shown(_ submission: Submission) -> Submission {
    if let refusal = submission.refusal { lastRefusal = refusal }
    catchUp()
    return submission
  }

  /// Shows an operation, and keeps it for undo if it has an effect.
  private func performed(_ submission: Submission) -> Submission {
    if submission.operation != nil, submission.prediction != .unchanged, client.tableType?.allowsUndo == true {
      history.performed(submission)
      undoRegistration?()
    }
    return shown(submission)
  }
}
