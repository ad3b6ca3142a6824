import TestSupport
import Testing

@testable import BaizeTable

/// A table under test, with what must stay equal to it: a replica that follows by diffs alone (I1), the
/// invariants of the state, and the number of items.
struct Bench {
  var table: Table
  /// A replica built from a snapshot of the first state, to which only diffs were applied since.
  var replica: Table
  var memories: [SessionID: AuthorMemory] = [:]
  /// The number of answers that a session remembers.
  var answersMax = AuthorMemory.answersMaxDefault
  var last: [SessionID: SequenceNumber] = [:]
  private var judged = 0
  private let hasShortHistory: Bool

  init(_ type: TableType, seed: UInt64 = 1, history: Int? = nil) {
    table = Table(type: type, random: RandomSource(seed: seed))
    hasShortHistory = history != nil
    if let history { table.history = History(at: .zero, revisionsMax: history) }
    replica = Table(replicaOf: Self.snapshot(of: table.state))
  }

  var state: TableState { table.state }

  /// Returns the state as a client receives it: the items of all collections, loaded in parts.
  static func snapshot(of state: TableState) -> TableState {
    var loader = StateLoader(type: state.type)
    do {
      for handle in state.handlesFromTop {
        for offset in stride(from: 0, to: state.count(in: handle), by: 3) {
          try loader.add(state.items(in: handle, from: offset, limit: 3))
        }
        try loader.describe(handle, isEnabled: state.isEnabled(handle), count: state.count(in: handle))
      }
    } catch {
      Issue.record("\(error)")
    }
    return loader.finish(
      revision: state.revision, status: state.status, variables: state.variables, seats: state.seats)
  }

  /// Judges an operation of session (and seat) `author`, with its next sequence number.
  @discardableResult
  mutating func judge(
    _ kind: TableOperation.Kind, by author: UInt64 = 1, base: UInt64? = nil, unanswered: UInt32 = 0,
    seat: UInt32? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) -> Judgement {
    let session = SessionID(rawValue: author)
    let sequence = last[session, default: .zero].next
    let operation = TableOperation(
      sequence: sequence, base: base.map(Revision.init(rawValue:)) ?? state.revision, epoch: Epoch(rawValue: 1),
      unanswered: unanswered, kind: kind)
    return judge(operation, by: session, seat: seat, sourceLocation: sourceLocation)
  }

  mutating func judge(
    _ operation: TableOperation, by session: SessionID, seat: UInt32? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Judgement {
    judged += 1
    let before = state
    let unchanged = before.fingerprint
    let author = Author(
      session: session, seat: SeatNumber(rawValue: seat ?? UInt32(truncatingIfNeeded: session.rawValue)))
    var (byRules, memory) = (table, memories[session, default: AuthorMemory(answersMax: answersMax)])
    var (fast, fastMemory) = (table, memory)
    let judgement = table.judge(
      operation, by: author, memory: &memories[session, default: AuthorMemory(answersMax: answersMax)])
    let after = state.fingerprint
    if case .retry = judgement {
    } else {
      last[session] = operation.sequence
      memory.advance(to: operation.sequence, unanswered: operation.unanswered)
      if memory.remembersNothing, memory.madeOperations == 0, operation.base == before.revision {
        checkHover(operation.kind, by: author.seat, judgement, before, sourceLocation)
      }
      let expected = byRules.judgementByRules(of: operation, by: author, memory: &memory)
      #expect(judgement == expected, "a plain move is judged as by its rules", sourceLocation: sourceLocation)
      #expect(after == byRules.state.fingerprint, sourceLocation: sourceLocation)
      if case .refused = judgement {} else { #expect(memory == memories[session], sourceLocation: sourceLocation) }
      if let move = operation.singleMove, let diff = fast.accept(move, by: author, memory: &fastMemory) {
        #expect(
          judgement == .accepted(Diff(diff)), "a move is accepted as it is judged", sourceLocation: sourceLocation)
        #expect(fast.state.fingerprint == after, sourceLocation: sourceLocation)
        #expect(fastMemory == memories[session], sourceLocation: sourceLocation)
      } else {
        #expect(fast.state.fingerprint == unchanged, sourceLocation: sourceLocation)
      }
    }
    if judgement.diff == nil { #expect(after == unchanged, "nothing changes", sourceLocation: sourceLocation) }
    check(judgement, after: before, sourceLocation)
    return judgement
  }

  /// Checks that hovering gave the verdict of a drop on the state that its author saw (I5).
  private func checkHover(
    _ kind: TableOperation.Kind, by seat: SeatNumber, _ judgement: Judgement, _ before: TableState,
    _ sourceLocation: SourceLocation
  ) {
    // A state knows neither the author's refused operations nor the table's limits.
    guard case .reorder(let difference, let suggested) = kind, !difference.destination.position.anchor.isProvisional,
      !difference.destination.container.isProvisional, !difference.sources.contains(where: \.isProvisional)
    else { return }
    if let reason = judgement.refusal?.reason, [.tableSize, .tooManyItems].contains(reason) { return }
    let verdict = before.dropConfiguration(for: difference, suggested: suggested, by: seat)
    #expect(verdict.refusal?.reason == judgement.refusal?.reason, sourceLocation: sourceLocation)
    guard let diff = judgement.diff, diff.operation != .cancel else { return }
    #expect(verdict.operation == diff.operation, sourceLocation: sourceLocation)
    #expect((verdict.destination != nil) == diff.isRedirected, sourceLocation: sourceLocation)
  }

  /// Whether the chains of the history, and the replica's own structure, are checked after this judgement. What is wrong there
  /// stays wrong: in a long sequence it is enough to look now and then, unless the history forgets meanwhile.
  private var isThorough: Bool { LongForm.isOn || hasShortHistory || judged <= 12 || judged.isMultiple(of: 8) }

  /// Checks I1 and I4, which must hold after every judgement.
  private mutating func check(_ judgement: Judgement, after before: TableState, _ sourceLocation: SourceLocation) {
    #expect(state.brokenInvariant() == nil, sourceLocation: sourceLocation)
    if isThorough { #expect(table.brokenChain() == nil, sourceLocation: sourceLocation) }
    guard let diff = judgement.diff else { return }
    #expect(diff.revision == before.revision.next, sourceLocation: sourceLocation)
    #expect(state.revision == diff.revision, sourceLocation: sourceLocation)
    #expect(state.itemCount - before.itemCount == Self.growth(of: diff), sourceLocation: sourceLocation)
    // An alias is no item of its own.
    let (count, countBefore) = (state.itemCount - state.aliasCount, before.itemCount - before.aliasCount)
    if diff.operation == .move { #expect(count == countBefore, sourceLocation: sourceLocation) }
    do { try replica.apply(diff) } catch { Issue.record("\(error) in \(diff)", sourceLocation: sourceLocation) }
    if isThorough {
      #expect(replica.state.brokenInvariant() == nil, sourceLocation: sourceLocation)
      #expect(replica.brokenChain() == nil, sourceLocation: sourceLocation)
    }
    for handle in state.handles {
      #expect(
        replica.state.itemIDs(in: handle) == state.itemIDs(in: handle), "\(diff)", sourceLocation: sourceLocation)
    }
    #expect(replica.viewHash() == table.viewHash(), "\(diff)", sourceLocation: sourceLocation)
  }

  /// Returns by how many items a diff changes their number.
  private static func growth(of diff: Diff) -> Int {
    diff.changes.indices.reduce(0) { count, index in
      // The form of a change for viewers that may not see the true one.
      if case .except = diff.audience(at: index) { return count }
      switch diff.changes[index] {
      case .inserted(let items, _): return count + items.count
      case .removed(let items): return count - items.count
      case .moved, .faced, .status, .enabled, .counted, .variables, .seats: return count
      }
    }
  }
}

// MARK: Items by name

extension Bench {
  /// Returns the first item with the attribute `name`, in handle order; an item that does not exist for an unknown name.
  func id(_ name: String) -> ItemID {
    for handle in state.handles {
      for id in state.itemIDs(in: handle) where state.name(of: id) == name { return id }
    }
    return ItemID(rawValue: 999_999)
  }

  func ids(_ names: String...) -> ItemList { ItemList(names.map(id)) }

  func handle(_ id: String) -> CollectionHandle { state.handle(of: id) ?? .none }

  /// Returns the names of a collection's items, in order.
  func names(_ collection: String) -> [String] { state.itemIDs(in: handle(collection)).map(state.name) }

  func text(_ collection: String) -> String { names(collection).joined() }

  /// Returns the position before the item named `anchor`, or at the end.
  func destination(_ collection: String, before anchor: String? = nil) -> Destination {
    Destination(
      collection: handle(collection), position: Position(anchor: anchor.map(id) ?? .none))
  }

  /// Judges a reorder of named items.
  @discardableResult
  mutating func move(
    _ names: [String], to collection: String, before anchor: String? = nil,
    suggested: DropOperation.Set = [], by author: UInt64 = 1, base: UInt64? = nil, unanswered: UInt32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) -> Judgement {
    let difference = ReorderDifference(
      sources: names.map(id), destination: destination(collection, before: anchor))
    return judge(
      .reorder(difference, suggested: suggested), by: author, base: base, unanswered: unanswered,
      sourceLocation: sourceLocation)
  }
}

extension TableState {
  func name(of id: ItemID) -> String {
    switch item(id)?.face["name"] {
    case .text(let text): text
    case .number(let number): "\(number)"
    case nil: "?"
    }
  }
}

extension Judgement {
  var diff: Diff? { if case .accepted(let diff) = self { diff } else { nil } }

  var refusal: Refusal? {
    switch self {
    case .refused(let refusal), .retry(let refusal): refusal
    case .accepted, .unchanged: nil
    }
  }

  /// `accepted`, `unchanged`, `refused:CODE` or `retry:CODE`.
  var summary: String {
    switch self {
    case .accepted: "accepted"
    case .unchanged: "unchanged"
    case .refused(let refusal): "refused:\(refusal.reason.rawValue)"
    case .retry(let refusal): "retry:\(refusal.reason.rawValue)"
    }
  }
}

extension Table {
  fileprivate mutating func judgementByRules(
    of operation: TableOperation, by author: Author, memory: inout AuthorMemory
  ) -> Judgement {
    let judgement: Judgement
    do throws(Refusal) {
      judgement = try judgeByRules(operation, by: author, memory: &memory, claims: nil)
    } catch {
      judgement = error.reason == .notPlaced ? .retry(error) : .refused(error)
    }
    note(judgement, of: operation, &memory)
    return judgement
  }

  /// Returns the first item whose chained history records differ from those that a search of the whole window finds.
  func brokenChain() -> ItemID? {
    let window = Dictionary(grouping: history.takeOuts(since: history.oldestBase), by: \.item)
    for item in state.handles.flatMap(state.itemIDs(in:)) {
      var chained: [Revision] = []
      var number = state.forest.records[state.index.slot(of: item)].lastTakeOut
      while let takeOut = history[number] {
        guard takeOut.item == item else { return item }
        chained.insert(takeOut.revision, at: 0)
        number = takeOut.previous
      }
      if chained != window[item, default: []].map(\.revision) { return item }
    }
    return brokenPosition()
  }

  /// Returns the item of the first vacant position that is not in exactly one chain, or whose chain is wrong.
  private func brokenPosition() -> ItemID? {
    var found: Set<Int> = []
    for collection in state.collections.indices {
      var owners = state.isGone(collection) ? [] : state.slots(in: collection)
      owners.append(-1)
      for owner in owners {
        var index = history.index(of: chain(before: owner, in: collection))
        if index >= 0, !history.takeOuts[index].links.isRoot { return history.takeOuts[index].item }
        index = history.outermost(index, isFirst: true)
        while index >= 0 {
          let takeOut = history.takeOuts[index]
          let parent = history.parent(index)
          let isRight =
            found.insert(index).inserted && history.owner(index) == owner && Int(takeOut.collection) == collection
            && (parent < 0 || history.takeOuts[parent].revision >= takeOut.revision)
          guard isRight else { return takeOut.item }
          index = history.neighbor(index, isNext: true)
        }
      }
    }
    return history.takeOuts.indices[history.head...].first { !found.contains($0) }
      .map { history.takeOuts[$0].item }
  }
}

/// Everything observable about a state, including stamps.
struct Fingerprint: Equatable {
  var revision: Revision
  var status: String
  var variables: [Attribute]
  var seats: [Seat]
  var isEnabled: [Bool]
  var items: [[Item]]
  var records: [[Stamp]]
  var hash: UInt64

  struct Stamp: Equatable {
    var placed: Revision
    var placedBy: SessionID
    var isFaceUp: Bool
    var isFaceKnown: Bool
  }
}

extension TableState {
  var fingerprint: Fingerprint {
    var copy = self
    return Fingerprint(
      revision: revision, status: status, variables: variables, seats: seats, isEnabled: handles.map(isEnabled),
      items: handles.map { items(in: $0, from: 0, limit: .max) },
      records: handles.map { itemIDs(in: $0).map(stamp) }, hash: copy.viewHash())
  }

  private func stamp(of id: ItemID) -> Fingerprint.Stamp {
    let record = forest.records[index.slot(of: id)]
    return Fingerprint.Stamp(
      placed: record.placed, placedBy: record.placedBy, isFaceUp: record.isFaceUp, isFaceKnown: record.isFaceKnown)
  }
}

/// The oracle: removes the sources and inserts them as a block at the anchor's original index less the sources before it.
func referenceApply<Item: Equatable>(_ sources: [Item], before anchor: Item?, to items: [Item]) -> [Item] {
  let index = anchor.flatMap(items.firstIndex) ?? items.count
  let sourcesBefore = items[..<index].count { sources.contains($0) }
  var result = items.filter { !sources.contains($0) }
  result.insert(contentsOf: sources, at: index - sourcesBefore)
  return result
}

extension SplitMix64 {
  /// Returns a random number for a test's script.
  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

  mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  /// Returns some of `elements`, in random order.
  mutating func sample<Element>(_ elements: [Element], _ count: Int) -> [Element] {
    var rest = elements
    var sample: [Element] = []
    while sample.count < count, !rest.isEmpty { sample.append(rest.remove(at: below(rest.count))) }
    return sample
  }
}

extension TableOperation {
  /// The operation as a reorder of one item; `nil` for any other.
  fileprivate var singleMove: SingleMove? {
    guard case .reorder(let difference, let suggested) = kind, difference.sources.count == 1 else { return nil }
    return SingleMove(
      sequence: sequence, base: base, epoch: epoch, unanswered: unanswered, suggested: suggested,
      item: difference.sources[0], destination: difference.destination)
  }
}
