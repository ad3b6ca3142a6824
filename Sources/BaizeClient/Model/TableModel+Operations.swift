public import BaizeTable

// Operations of the user interface. Each shows in the model before the call returns.
extension TableModel {
  /// Moves or copies items, as a `reorderContainer` reports it; see ``TableClient/reorder(_:suggested:)``.
  @discardableResult
  public func reorder(_ difference: ReorderDifference, suggested: DropOperation.Set = []) -> Submission {
    shown(client.reorder(difference, suggested: suggested))
  }

  /// Moves items by offsets, as `onMove` reports it; see ``TableClient/move(fromOffsets:toOffset:in:)-(RangeSet<Int>,_,_)``.
  @discardableResult
  public func move(
    fromOffsets sources: some Sequence<Int>, toOffset destination: Int, in collection: String
  ) -> Submission {
    shown(client.move(fromOffsets: sources, toOffset: destination, in: collection))
  }

  /// Inserts new items; see ``TableClient/insert(_:in:before:)``.
  @discardableResult
  public func insert(_ items: [NewItem], in collection: String, before anchor: ItemID? = nil) -> Submission {
    shown(client.insert(items, in: collection, before: anchor))
  }

  /// Removes items from the table.
  @discardableResult
  public func remove(_ items: some Sequence<ItemID>) -> Submission { shown(client.remove(items)) }

  /// Changes the face of an item; see ``TableClient/update(_:attributes:representations:)``.
  @discardableResult
  public func update(
    _ item: ItemID, attributes: [Attribute] = [], representations: [Representation] = []
  ) -> Submission {
    shown(client.update(item, attributes: attributes, representations: representations))
  }

  /// Performs an action that the table type defines, such as `draw`; see ``TableClient/perform(_:items:)``.
  @discardableResult
  public func perform(_ action: String, items: some Sequence<ItemID> = EmptyCollection()) -> Submission {
    shown(client.perform(action, items: items))
  }

  /// Returns the local rules' verdict on a drop, for a `dropConfiguration` closure.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    client.dropConfiguration(for: difference, suggested: suggested)
  }

  /// Returns the collections that would accept some items; see ``TableClient/legalDestinations(for:suggested:)``.
  public func legalDestinations(for items: [ItemID]) -> [LegalDestination] { client.legalDestinations(for: items) }

  private func shown(_ submission: Submission) -> Submission {
    if let refusal = submission.refusal { lastRefusal = refusal }
    catchUp()
    return submission
  }
}
