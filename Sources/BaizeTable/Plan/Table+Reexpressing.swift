/// The rewriting of operations that a replica sends again.
extension Table {
  /// Returns an operation in terms of the present state: with ids that the table knows, and the gap where it is now.
  ///
  /// For operations that were not judged and are sent again on a new base. Items and anchors that are not in the
  /// present state are left as they were: the authority will refuse them. It would refuse the others with them, so that
  /// where the type has `partialMoves`, items that are gone are left out as long as one remains (G6).
  ///
  /// - Parameters:
  ///   - operation: The operation.
  ///   - author: Its author.
  ///   - isSameEpoch: Whether the operation's base is of the table's present epoch.
  ///   - memory: The memory of the author's earlier operations.
  public func reexpressed(
    _ operation: TableOperation, by author: Author, isSameEpoch: Bool, memory: AuthorMemory
  ) -> TableOperation.Kind {
    var request = request(operation.sequence, since: operation.base, by: author)
    request.isCovered = request.isCovered && isSameEpoch
    // Drops notes on operations whose answers the author had received.
    var memory = memory
    memory.advance(to: operation.sequence, unanswered: operation.unanswered)
    switch operation.kind {
    case .reorder(var difference, let suggested):
      let isCopy = copies(operation, memory)
      difference.sources = present(difference.sources, areAllNeeded: isCopy, memory)
      let slots = SlotList(difference.sources.map { state.index.slot(of: $0) }.filter { $0 >= 0 })
      difference.destination = here(difference.destination, of: slots, request, memory)
      return .reorder(difference, suggested: suggested)
    case .insert(let items, let destination): return .insert(items, here(destination, of: [], request, memory))
    case .remove(let items): return .remove(present(items, areAllNeeded: false, memory))
    case .update(let item, let attributes, let representations):
      return .update(known(item, memory), attributes: attributes, representations: representations)
    case .perform(let action, let items, let destination):
      return .perform(action: action, items: ItemList(items.filter(state.contains)), destination)
    case .undo, .unknown, .invalid: return operation.kind
    }
  }

  private func present(_ items: ItemList, areAllNeeded: Bool, _ memory: AuthorMemory) -> ItemList {
    let known = items.map { self.known($0, memory) }
    if areAllNeeded || !state.type.allowsPartialMoves { return ItemList(known) }
    let left = known.filter { $0.isProvisional || state.contains($0) }
    return ItemList(left.isEmpty ? known : left)
  }

  private func known(_ item: ItemID, _ memory: AuthorMemory) -> ItemID {
    item.isProvisional && !state.contains(item) ? memory.resolve(item) ?? item : item
  }

  private func here(
    _ destination: Destination, of sources: SlotList, _ request: Request, _ memory: AuthorMemory
  ) -> Destination {
    var here = destination
    // The former neighbors do not apply to the present state; the sender determines new ones.
    here.after = .unspecified
    (here.beforeBy, here.afterBy) = (nil, nil)
    if here.hasContainer { here.container = known(here.container, memory) }
    do throws(Refusal) {
      let landing = try landing(destination, of: sources, request, memory)
      here.position = Position(anchor: state.id(state.firstStaying(from: landing.anchor, SlotSet(sources))))
    } catch {
      here.position = .end
    }
    return here
  }
}
