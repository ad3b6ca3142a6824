import BaizeTable
import BaizeWire

@testable import BaizeSync

/// What the daemon did, read off its journal: the truth that clients are compared with.
struct Recorder {
  /// By revision.
  private(set) var states: [TableState] = []
  private(set) var hashes: [UInt64] = []
  private(set) var diffs: [Diff] = []
  private var effects: Set<Effect> = []
  private var noted = 0
  private var turn: TurnNumber?

  /// One operation, once and for all.
  struct Effect: Hashable {
    let session: SessionID
    let sequence: SequenceNumber
  }

  /// Looks at what the last event made of the table.
  mutating func note(_ daemon: Daemon, since before: TableState?, world: World) throws {
    guard !daemon.shard.tables.isEmpty else { return }
    if states.isEmpty, daemon.state.revision.rawValue > 1 { throw World.Broken("I2", "the first revision was missed") }
    let state = daemon.state
    var made: [Diff] = []
    for case .diff(let diff) in daemon.openEntries where diff.revision.rawValue > UInt64(max(states.count, 1) - 1) {
      made.append(diff)
    }
    if states.isEmpty { keep(state) }
    for diff in made where Int(diff.revision.rawValue) >= states.count {
      guard Int(diff.revision.rawValue) == states.count else {
        throw World.Broken("I2", "revision \(diff.revision.rawValue) follows \(states.count - 1)")
      }
      // More than one diff comes of one event only where seats change; the state is that of the last.
      keep(state)
      try check(diff, before: before, after: state, world: world)
    }
  }

  private mutating func keep(_ state: TableState) {
    states.append(state)
    var copy = state
    hashes.append(copy.viewHash())
  }

  private mutating func check(_ diff: Diff, before: TableState?, after: TableState, world: World) throws {
    diffs.append(diff)
    world.count(diff.author == .daemon ? "diffs of the daemon" : "diffs")
    if diff.author != .daemon, !effects.insert(Effect(session: diff.author, sequence: diff.sequence)).inserted {
      throw World.Broken("I3", "operation \(diff.sequence.rawValue) of \(diff.author.rawValue) had two effects")
    }
    if diffs.count % 8 == 0, let broken = after.brokenInvariant() { throw World.Broken("I4", "the daemon: \(broken)") }
    guard let before, diff.author != .daemon else { return }
    try checkConservation(diff, before, after)
    if let client = world.clients.first(where: { $0.session == diff.author }),
      let intention = client.intentions[diff.sequence]
    {
      try intention.check(diff, before: before, after: after, diffs: diffs, world: world)
    }
  }

  /// Items are counted, not ids: what goes out of sight is removed and inserted under a new one.
  private func checkConservation(_ diff: Diff, _ before: TableState, _ after: TableState) throws {
    var change = 0
    for case .inserted(let items, _) in diff.changes { change += items.count }
    for case .removed(let items) in diff.changes { change -= items.count }
    guard after.itemCount == before.itemCount + change else {
      throw World.Broken("I4", "\(before.itemCount) items became \(after.itemCount) by \(diff)")
    }
    switch diff.operation {
    case .move where change != 0: throw World.Broken("I4", "a move changed the number of items by \(change)")
    case .copy where change < 1: throw World.Broken("I4", "a copy made \(change) items")
    case .delete where change >= 0: throw World.Broken("I4", "a deletion made \(change) items")
    case .move, .copy, .delete, .alias, .cancel, .forbidden: break
    }
  }

  /// The hash of the view at a revision.
  func hash(at revision: Revision) -> UInt64? {
    hashes.indices.contains(Int(revision.rawValue)) ? hashes[Int(revision.rawValue)] : nil
  }

  func state(at revision: Revision) -> TableState? {
    states.indices.contains(Int(revision.rawValue)) ? states[Int(revision.rawValue)] : nil
  }
}

/// Between which neighbours someone dropped something, as they saw it.
struct Intention {
  let sources: [ItemID]
  let collection: CollectionHandle
  /// `nil` for the start and the end.
  let previous: ItemID?
  let next: ItemID?
  let base: Revision
  /// The author's operations that were unanswered then, whose outcome it could not know.
  let presumed: Set<ItemID>

  /// The drop that a replica shows: nothing, where only part of it was taken or it was put elsewhere.
  init?(of operation: TableOperation, in shown: TableState, presumed: Set<ItemID>) {
    guard case .reorder(let difference, _) = operation.kind, let first = difference.sources.first else { return nil }
    sources = Array(difference.sources)
    collection = difference.destination.collection
    base = operation.base
    self.presumed = presumed
    guard shown.collection(of: first) == collection, let offset = shown.offset(of: first) else { return nil }
    for (position, source) in sources.enumerated() {
      guard shown.item(at: offset + position, in: collection) == source, !source.isProvisional else { return nil }
    }
    previous = shown.item(at: offset - 1, in: collection)
    next = shown.item(at: offset + sources.count, in: collection)
  }

  /// I9: an uncontended drop lands between the neighbours it was dropped between, if no diff since its base moved either
  /// and they still are neighbours.
  func check(_ diff: Diff, before: TableState, after: TableState, diffs: [Diff], world: World) throws {
    guard diff.operation == .move, !diff.isRedirected else { return }
    let neighbours = Set([previous, next].compactMap { $0 })
    guard neighbours.isDisjoint(with: presumed), !neighbours.contains(where: \.isProvisional) else { return }
    for earlier in diffs where earlier.revision > base && earlier.revision < diff.revision {
      if !earlier.items.isDisjoint(with: neighbours) { return }
    }
    // What was gone before is not there to land; what was left out by the rules makes another block of the drop.
    guard case .moved(let moved, _)? = diff.changes.first else { return }
    guard sources.allSatisfy({ moved.contains($0) || !before.contains($0) }) else { return }
    let staying = before.itemIDs(in: collection).filter { !moved.contains($0) }
    let gap = previous.map { item in staying.firstIndex(of: item).map { $0 + 1 } } ?? 0
    guard let gap, gap <= staying.count, (gap < staying.count ? staying[gap] : nil) == next else { return }
    world.count("intentions checked")
    let expected = staying[..<gap] + Array(moved) + staying[gap...]
    guard after.itemIDs(in: collection) == Array(expected) else {
      throw World.Broken(
        "I9",
        "\(sources.map(\.rawValue)) was dropped between \(previous?.rawValue ?? 0) and \(next?.rawValue ?? 0), and "
          + "\(before.itemIDs(in: collection).map(\.rawValue)) became \(after.itemIDs(in: collection).map(\.rawValue))")
    }
  }
}
