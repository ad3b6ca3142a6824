import BaizeSync
import BaizeTable

/// The neighbours between which an author dropped items in its view.
struct Intention {
  private let sources: [ItemID]
  private let collection: CollectionHandle
  /// `nil` for the start and the end.
  private let previous: ItemID?
  private let next: ItemID?
  let base: Revision
  private let epoch: Epoch
  /// The items of the author's operations that were pending then, whose outcome it could not know.
  private let presumed: Set<ItemID>
  /// - Returns: `nil` if the replica predicts only a part of the drop, or another position.
  init?(of operation: TableOperation, in shown: TableState, presumed: Set<ItemID>) {
    guard case .reorder(let difference, _) = operation.kind, let first = difference.sources.first else { return nil }
    sources = Array(difference.sources)
    collection = difference.destination.collection
    base = operation.base
    epoch = operation.epoch
    self.presumed = presumed
    // The daemon gives the collection of a pending item another handle.
    guard !collection.isProvisional, shown.collection(of: first) == collection, let offset = shown.offset(of: first)
    else { return nil }
    for (position, source) in sources.enumerated() {
      guard shown.item(at: offset + position, in: collection) == source, !source.isProvisional else { return nil }
    }
    previous = shown.item(at: offset - 1, in: collection)
    next = shown.item(at: offset + sources.count, in: collection)
  }

  /// I9: a drop lands between the neighbours it was dropped between, if no diff since its base moved them and they are
  /// neighbours now.
  ///
  /// - Parameters:
  ///   - epoch: The epoch in which it was judged.
  ///   - loadedAt: The revision of the author's last snapshot.
  ///   - diffs: All earlier diffs.
  func check(
    _ diff: Diff, under epoch: Epoch, loadedAt: Revision, before: TableState, after: TableState, diffs: [Diff],
    world: World
  ) throws {
    guard diff.operation == .move, !diff.isRedirected else { return }
    var neighbours = Set([previous, next].compactMap { $0 })
    guard neighbours.isDisjoint(with: presumed), !neighbours.contains(where: \.isProvisional) else { return }
    // After a snapshot, the former position of a source that was moved since is unknown: that is contention. And a
    // drop may have been based on revisions that a crash has lost.
    if epoch != self.epoch, world.mayHaveLost { return }
    try checkFirst(diff, before: before, diffs: diffs)
    let isLoaded = epoch != self.epoch || loadedAt > base
    if isLoaded { neighbours.formUnion(sources) }
    guard diffs.since(base).allSatisfy({ $0.items.isDisjoint(with: neighbours) }) else { return }
    // Removed sources do not land, and a block without the sources that the rules left out is another drop.
    guard case .moved(let moved, _)? = diff.changes.first else { return }
    guard sources.allSatisfy({ moved.contains($0) || !before.contains($0) }) else { return }
    let staying = before.itemIDs(in: collection).filter { !moved.contains($0) }
    let gap = previous.map { item in staying.firstIndex(of: item).map { $0 + 1 } } ?? 0
    guard let gap, gap <= staying.count, (gap < staying.count ? staying[gap] : nil) == next else { return }
    world.count(.intentionsChecked)
    let expected = staying[..<gap] + Array(moved) + staying[gap...]
    try hold(
      after.itemIDs(in: collection) == Array(expected), "I9",
      "\(sources.map(\.rawValue)) was dropped between \(previous?.rawValue ?? 0) and \(next?.rawValue ?? 0), and "
        + "\(before.itemIDs(in: collection).map(\.rawValue)) became \(after.itemIDs(in: collection).map(\.rawValue))")
  }
}

extension Intention {
  /// I9: where the first one counts, an item that others have moved since the drop was made stays there (G10, C15).
  private func checkFirst(_ diff: Diff, before: TableState, diffs: [Diff]) throws {
    guard before.type.contention == .first else { return }
    for source in sources {
      let mover = diffs.since(base).first { $0.moved.contains(source) }?.author ?? diff.author
      try hold(
        mover == diff.author, "I9",
        "item \(source.rawValue) was moved by \(mover.rawValue), and then by an older drop: \(diff)")
    }
  }
}

extension Diff {
  /// The items that it moves.
  fileprivate var moved: Set<ItemID> {
    var moved: Set<ItemID> = []
    for case .moved(let items, _) in changes { moved.formUnion(items) }
    return moved
  }

  /// Whether its author could predict all of it: no hidden faces, and no new ids but those of its own items.
  var isPredicted: Bool {
    changes.allSatisfy { change in
      switch change {
      case .faced: false
      case .inserted: !minted.isEmpty
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: true
      }
    }
  }
}

extension TableOperation {
  var isUndo: Bool {
    if case .undo = kind { true } else { false }
  }

  /// The items that it names as sources.
  var items: Set<ItemID> {
    switch kind {
    case .reorder(let difference, _): Set(difference.sources)
    case .remove(let items), .perform(_, let items, _): Set(items)
    case .update(let item, _, _): [item]
    case .insert, .undo, .unknown, .invalid: []
    }
  }
}
