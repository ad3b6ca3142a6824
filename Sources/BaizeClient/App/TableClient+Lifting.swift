import BaizeSync
public import BaizeTable

// The rules' verdicts before an operation, for user interfaces. The daemon is not asked.
extension TableClient {
  /// Returns the items that come along when the user drags an item, in their order: the payload of a drag.
  ///
  /// Where the table type's `lift` has the shape `run`, as in a pile of cards, these are the item and all behind it;
  /// otherwise the item alone. It is empty if the rules forbid to drag the item, or if another participant drags it and
  /// the table type enforces claims: the drag does not begin then.
  ///
  /// - Complexity: O(k log n) for k items, plus the cost of the rules.
  public func liftSet(startingAt item: ItemID) -> [ItemID] { liftSet(of: [item]) }

  /// Returns the items that come along when the user drags a selection: all of them if the rules let them leave together,
  /// none if not; for a single item those of ``liftSet(startingAt:)``.
  public func liftSet(of selection: some Sequence<ItemID>) -> [ItemID] {
    let selection = ItemList(selection)
    return shared.read { core in
      guard let replica = core.replica else { return [] }
      let items = replica.state.liftSet(
        of: core.identities.sent(selection), by: replica.author.seat, claims: core.claims)
      return items.map(core.identities.localID)
    }
  }

  /// Returns the local rules' verdict on inserting items whose contents are not known yet, such as those of another app
  /// that hover over a collection.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - destination: The gap that they hover over.
  public func dropConfiguration(inserting count: Int, at destination: Destination) -> DropConfiguration {
    shared.read { core in
      guard let replica = core.replica else { return .forbidden(Refusal(.notJoined)) }
      return core.identities.shown(
        replica.state.dropConfiguration(
          inserting: count, at: core.identities.sent(destination), by: replica.author.seat))
    }
  }

  /// The reason why this participant may do nothing at present: a spectator may not act, and nobody at a table that has
  /// ended; `nil` if it may act.
  public var refusalToAct: Refusal? {
    shared.read { core in
      guard let replica = core.replica else { return Refusal(.notJoined) }
      return replica.state.refusalToAct(by: replica.author.seat)
    }
  }
}
