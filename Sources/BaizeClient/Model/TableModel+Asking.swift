public import BaizeTable

// What a user interface asks for: it shows before the call returns.
extension TableModel {
  /// Moves or copies items, as a `reorderContainer` reports it.
  @discardableResult
  public func reorder(_ difference: ReorderDifference, suggested: DropOperation.Set = []) -> Submission {
    shown(client.reorder(difference, suggested: suggested))
  }

  /// Moves items, as `onMove` reports it; see ``TableClient/move(fromOffsets:toOffset:in:)``.
  @discardableResult
  public func move(
    fromOffsets sources: some Sequence<Int>, toOffset destination: Int, in collection: String
  ) -> Submission {
    shown(client.move(fromOffsets: sources, toOffset: destination, in: collection))
  }

  @discardableResult
  public func insert(_ items: [NewItem], in collection: String, before anchor: ItemID? = nil) -> Submission {
    shown(client.insert(items, in: collection, before: anchor))
  }

  @discardableResult
  public func remove(_ items: some Sequence<ItemID>) -> Submission { shown(client.remove(items)) }

  @discardableResult
  public func update(
    _ item: ItemID, attributes: [Attribute] = [], representations: [Representation] = []
  ) -> Submission {
    shown(client.update(item, attributes: attributes, representations: representations))
  }

  /// Asks for an action that the table type names, such as `draw`.
  @discardableResult
  public func perform(
    _ action: String, items: some Sequence<ItemID> = EmptyCollection(), to destination: Destination? = nil
  ) -> Submission {
    shown(client.perform(action, items: items, to: destination))
  }

  /// The rules' verdict on a drop, for `dropConfiguration`.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    client.dropConfiguration(for: difference, suggested: suggested)
  }

  /// Where some items may go.
  public func legalDestinations(for items: [ItemID]) -> [LegalDestination] { client.legalDestinations(for: items) }

  private func shown(_ submission: Submission) -> Submission {
    if let refusal = submission.refusal { lastRefusal = refusal }
    catchUp()
    return submission
  }
}
