/// The plan of a move in which no rule has a say: one item, between collections whose traits are plain.
///
/// Most operations are such moves. Their plan is a few numbers and needs no list, no box and no copy of the operation.
struct PlainMove: Sendable, BitwiseCopyable {
  let author: Author
  let sequence: SequenceNumber
  let slot: Int32
  let collection: Int32
  /// The slot that the item will be before, never its own; −1 for the end.
  let anchor: Int32
  /// The slots before and behind the item now; −1 for none.
  let predecessor: Int32
  let successor: Int32
  let isRebased: Bool
  let isCarried: Bool
  /// Whether the item already is there.
  let isUnchanged: Bool
}

extension Table {
  /// Plans a plain move: decides what the rules G3 to G13 decide where there is no rule to read.
  ///
  /// Its verdict is the one of ``plan(_:by:memory:claims:)``, which decides everything else.
  ///
  /// - Returns: `nil` if the operation is not a plain move, as far as can be seen without reading a rule.
  /// - Throws: The refusal of a gap that cannot be carried forward (G4).
  /// - Complexity: As ``judge(_:by:memory:claims:)``.
  @inline(__always) func plainMove(
    _ operation: TableOperation, by author: Author, memory: AuthorMemory
  ) throws(Refusal) -> PlainMove? {
    guard author.seat != .spectator, case .reorder(let difference, let suggested) = operation.kind,
      case .one(let item) = difference.sources,
      let slot = plainSource(item, to: difference.destination.collection, suggested)
    else { return nil }
    let request = request(operation.sequence, since: operation.base, by: author)
    let landing: Landing
    if let untouched = untouched(difference.destination, in: difference.destination.collection.index, request, memory) {
      landing = untouched
    } else {
      landing = try rebase(difference.destination, of: .one(slot), request, memory)
    }
    return plan(slot, landing, request)
  }

  /// Plans a plain move to a gap that is where its author saw it; `nil` for any other.
  @inline(__always) func untouchedMove(_ move: SingleMove, by author: Author, memory: AuthorMemory) -> PlainMove? {
    let request = request(move.sequence, since: move.base, by: author)
    guard author.seat != .spectator, let slot = plainSource(move.item, to: move.destination.collection, move.suggested),
      let landing = untouched(move.destination, in: move.destination.collection.index, request, memory)
    else { return nil }
    return plan(slot, landing, request)
  }

  /// Returns the slot of an item that may always move to a collection; `nil` if that takes more than a look at its
  /// traits.
  @inline(__always) private func plainSource(
    _ item: ItemID, to destination: CollectionHandle, _ suggested: DropOperation.Set
  ) -> Int32? {
    guard state.type.hasPlainMoves else { return nil }
    let slot = state.index.slot(of: item)
    guard slot >= 0, state.collections.indices.contains(destination.index) else { return nil }
    let record = state.forest.records.address(of: slot)
    let source = Int(record.pointee.collection)
    let (from, to) = (state.traits(of: source), state.traits(of: destination.index))
    guard record.pointee.isFaceUp, !record.pointee.isPinned, from.flags.isPlainSource, to.flags.isPlainDestination,
      state.collections[source].isEnabled, state.collections[destination.index].isEnabled,
      to.preferredOperation(among: suggested.isEmpty ? from.offers : suggested.intersection(from.offers)) == .move
    else { return nil }
    return slot
  }

  @inline(__always) private func plan(_ slot: Int32, _ landing: Landing, _ request: Request) -> PlainMove? {
    let record = state.forest.records.address(of: slot)
    if state.type.contention == .first, record.pointee.placed > request.base,
      record.pointee.placedBy != request.author.session
    {
      return nil
    }
    let (previous, next) = state.forest.neighbors(of: slot)
    let anchor = landing.anchor == slot ? next : landing.anchor
    guard anchor < 0 || !state.forest.records.address(of: anchor).pointee.isPinned else { return nil }
    return PlainMove(
      author: request.author, sequence: request.sequence, slot: slot,
      collection: Int32(truncatingIfNeeded: landing.collection), anchor: anchor, predecessor: previous,
      successor: next, isRebased: landing.isRebased, isCarried: landing.isCarried,
      isUnchanged: Int(record.pointee.collection) == landing.collection && next == anchor)
  }

  /// Returns the author of an operation and the state that the author saw.
  @inline(__always) func request(_ sequence: SequenceNumber, since base: Revision, by author: Author) -> Request {
    Request(author: author, sequence: sequence, base: min(max(base, oldestBase), state.revision))
  }
}
