/// The rewriting of operations that a replica sends again.
extension Table {
  /// Returns an operation in terms of the present state: with ids that the table knows, and the gap where it is now.
  ///
  /// For operations that were not judged and are sent again on a new base. Items and anchors that are not in the
  /// present state are left as they were: the authority will refuse them. It would refuse the others with them, so that
  /// where the type has `partialMoves`, items that are gone are left out as long as one remains (G6).
  public func reexpressed(_ operation: TableOperation, by author: Author, memory: AuthorMemory) -> TableOperation.Kind {
    let request = Request(
      author: author, sequence: operation.sequence, base: min(max(operation.base, oldestBase), state.revision))
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
    here.then = .none
    here.after = .unspecified
    if here.hasContainer { here.container = known(here.container, memory) }
    do throws(Refusal) {
      let landing = try rebase(destination, of: sources, request, memory)
      here.position = Position(anchor: state.id(landing.anchor))
    } catch {
      // The history no longer has the anchor: uses `then` instead, or else the end.
      let then = known(destination.then, memory)
      let slot = state.index.slot(of: then)
      let stands = slot >= 0 && state.collection(slot) == state.index(of: here)
      here.position = stands ? .before(then) : .end
    }
    return here
  }
}
