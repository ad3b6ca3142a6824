import BaizeSync
import BaizeTable
import BaizeWire

/// The real table and real replicas as a system.
struct TableSystem: PositionSystem {
  struct Request: Sendable {
    let author: Int
    let operation: TableOperation
  }

  enum Message: Sendable {
    case diff(Diff)
    case outcome(Outcome)
  }

  private(set) var table: Table
  private var memories: [AuthorMemory]
  private var replicas: [Replica]
  /// The numbers of items, by their ids, and the other way round.
  private var numbers: [ItemID: Int] = [:]
  private var ids: [Int: ItemID] = [:]
  private let collections: [CollectionHandle]
  private static let epoch = Epoch(rawValue: 1)

  init(_ setUp: PositionSetUp) {
    table = Table(type: Self.type(setUp), random: RandomSource(seed: 1))
    collections = setUp.lists.indices.map { CollectionHandle(rawValue: UInt32($0 + 1)) }
    memories = Array(repeating: AuthorMemory(), count: setUp.authors)
    let state = table.state
    replicas = (1...setUp.authors).map { author in
      var replica = Replica(state: state, epoch: Self.epoch, author: Self.author(author), lastSequence: .zero)
      replica.reportsChanges = false
      return replica
    }
    for (collection, items) in zip(collections, setUp.lists) {
      for (id, item) in zip(state.itemIDs(in: collection), items) { name(id, item) }
    }
  }

  private static func type(_ setUp: PositionSetUp) -> TableType {
    let handles = setUp.lists.indices.map { CollectionHandle(rawValue: UInt32($0 + 1)) }
    return TableType(
      name: "positions", document: "positions", seatsMax: setUp.authors,
      contention: setUp.isFirstWins ? .first : .last,
      collections: handles.indices.map { CollectionRules(id: "list/\($0)", kind: $0) },
      kinds: setUp.rules.enumerated().map { index, rules in
        CollectionKind(
          name: "list/\(index)", lift: LiftRule(offers: [.move, .delete]),
          accept: AcceptRule(
            inserts: true, redirect: rules.redirect.map { handles[$0] },
            capacity: rules.capacity.map { Capacity(itemsMax: $0, acceptsPart: rules.acceptsPart) }))
      },
      setUp: SetUp(decks: [
        Deck(
          contents: .numbered(count: setUp.lists.joined().count, attribute: "number"),
          deals: zip(handles, setUp.lists).map { Deck.Deal(to: $0, count: $1.count) })
      ]))
  }

  private static func author(_ author: Int) -> Author {
    Author(session: SessionID(rawValue: UInt64(author)), seat: SeatNumber(rawValue: UInt32(author)))
  }

  private mutating func name(_ id: ItemID, _ item: Int) { (numbers[id], ids[item]) = (item, id) }

  // MARK: The authority

  func items(in collection: Int) -> [Int] { table.state.itemIDs(in: collections[collection]).map(number) }

  private func number(_ id: ItemID) -> Int { numbers[id] ?? -1 }

  mutating func judge(_ request: Request) -> (answer: ModelAnswer, message: Message) {
    let (operation, author) = (request.operation, request.author)
    let judgement = table.judge(operation, by: Self.author(author), memory: &memories[author - 1])
    func outcome(_ verdict: Verdict, _ refusal: Refusal = .nothing) -> Message {
      .outcome(
        Outcome(
          sequence: operation.sequence, verdict: verdict, refusal: refusal, revision: table.state.revision))
    }
    switch judgement {
    case .accepted(let diff):
      if let made = diff.minted.first, made != .none {
        name(made, ModelOperation.madeItem(by: author, number: Int(operation.sequence.rawValue)))
      }
      return (ModelAnswer(verdict: .accepted, diff: described(diff)), .diff(diff))
    case .unchanged: return (ModelAnswer(verdict: .unchanged), outcome(.unchanged))
    case .refused(let refusal):
      return (ModelAnswer(verdict: .refused(ModelVerdict.Reason(refusal.reason))), outcome(.refused, refusal))
    case .retry(let refusal): return (ModelAnswer(verdict: .retry), outcome(.retry, refusal))
    }
  }

  func postpone(_ request: Request) -> Message {
    .outcome(
      Outcome(
        sequence: request.operation.sequence, verdict: .retry, refusal: Refusal(.notPlaced),
        revision: table.state.revision))
  }

  mutating func forget(through oldest: Int) {
    // The table itself decides how long it remembers.
    if table.state.revision.rawValue % 32 == 0 { table.forgetHistory() }
  }

  private func described(_ diff: Diff) -> ModelDiff {
    var described = ModelDiff(
      revision: Int(diff.revision.rawValue), author: Int(diff.author.rawValue), isRedirected: diff.isRedirected)
    func add(_ items: some Sequence<ItemID>, _ placement: Placement) {
      let anchor = placement.position.anchor
      described.blocks.append(
        ModelDiff.Block(
          items: items.map(number), collection: Int(placement.collection.rawValue) - 1,
          anchor: anchor == .none ? nil : number(anchor),
          gone: placement.gone.map { ModelDiff.Gone(item: number($0.item), revision: Int($0.revision.rawValue)) }))
    }
    for change in diff.changes {
      switch change {
      case .moved(let items, let destination):
        described.taken += items.map(number)
        add(items, destination)
      case .inserted(let items, let destination): add(items.map(\.id), destination)
      case .removed(let items): described.taken += items.map(number)
      case .faced, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return described
  }

  // MARK: A client

  func confirmedRevision(of author: Int) -> Int { Int(replicas[author - 1].confirmedRevision.rawValue) }

  func shown(by author: Int) -> [[Int]] { collections.indices.map { shown(by: author, in: $0) } }

  private func shown(by author: Int, in collection: Int) -> [Int] {
    replicas[author - 1].state.itemIDs(in: collections[collection]).map { number($0, by: author) }
  }

  private func number(_ id: ItemID, by author: Int) -> Int {
    guard id.isProvisional else { return number(id) }
    return ModelOperation.madeItem(by: author, number: Int(id.provisionalOperation.rawValue))
  }

  /// Returns the id under which an author's replica knows an item.
  private func id(_ item: Int, by author: Int) -> ItemID {
    if let id = ids[item], replicas[author - 1].state.contains(id) { return id }
    return .provisional(operation: SequenceNumber(rawValue: UInt64(item & 0xFFFF)), number: 0)
  }

  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int, at place: Int, by author: Int
  ) -> Sent<Request>? {
    // Nothing behind what is to be sent again, nor behind an undo: the client would keep it until that is answered.
    let pending = replicas[author - 1].pending
    guard pending.allSatisfy({ $0.retry == nil && !$0.operation.kind.isUndo }) else { return nil }
    let sources = items.map { id($0, by: author) }
    var view = ModelView()
    let operation: TableOperation.Kind
    switch kind {
    case .insert, .move:
      let shown = replicas[author - 1].state.itemIDs(in: collections[collection])
      let neighbors = shown[place...].lazy.filter { !sources.contains($0) }
      let destination = Destination(
        collection: collections[collection], position: Position(anchor: neighbors.first ?? .none))
      view = self.view(shown[..<place], shown[place...], by: author) { !sources.contains($0) }
      if case .move = kind {
        operation = .move(sources, to: destination)
      } else {
        operation = .insert([NewItem()], destination)
      }
    case .remove: operation = .remove(ItemList(sources))
    case .undo(let target): operation = .undo(SequenceNumber(rawValue: UInt64(target)))
    }
    return replicas[author - 1].submit(operation).operation.map { sent($0, view, by: author) }
  }

  /// Returns the names of items that an author's replica shows: with the numbers of the pending operations that put them there.
  private func view(
    _ inFront: ArraySlice<ItemID>, _ behind: ArraySlice<ItemID>, by author: Int, where isNamed: (ItemID) -> Bool
  ) -> ModelView {
    let base = replicas[author - 1].confirmedRevision.rawValue
    let accepted = replicas[author - 1].pending.filter { if case .shown = $0.prediction { true } else { false } }
    let predicted = accepted.map { Int($0.operation.sequence.rawValue) }
    func names(_ items: ArraySlice<ItemID>) -> [ModelOperation.Name] {
      items.compactMap { id in
        guard isNamed(id) else { return nil }
        let placed = replicas[author - 1].state.placed(id)?.rawValue ?? 0
        return ModelOperation.Name(
          item: number(id, by: author), by: placed > base ? predicted[Int(placed - base) - 1] : 0)
      }
    }
    return ModelView(inFront: names(inFront), behind: names(behind), refused: refused(by: author))
  }

  private func sent(_ operation: TableOperation, _ view: ModelView, by author: Int) -> Sent<Request> {
    Sent(
      operation: described(operation, by: author), view: view, request: Request(author: author, operation: operation))
  }

  private func described(_ operation: TableOperation, by author: Int) -> ModelOperation {
    let number = Int(operation.sequence.rawValue)
    var described = ModelOperation(
      author: author, number: number, base: Int(operation.base.rawValue), unanswered: Int(operation.unanswered),
      kind: .remove)
    func name(_ id: ItemID, _ by: SequenceNumber?) -> ModelOperation.Name {
      ModelOperation.Name(item: self.number(id, by: author), by: by.map { Int($0.rawValue) })
    }
    // As in the model, one that others were before takes its number and does nothing (C15).
    if operation.isBaseLost, table.state.type.contention == .first, operation.kind.isOvertakable {
      described.items = [-1]
      return described
    }
    switch operation.kind {
    case .insert:
      described.kind = .insert
      described.items = [ModelOperation.madeItem(by: author, number: number)]
    case .reorder(let difference, _):
      described.kind = .move
      described.items = difference.sources.map { self.number($0, by: author) }
    case .remove(let items): described.items = items.map { self.number($0, by: author) }
    case .undo(let target): described.kind = .undo(Int(target.rawValue))
    case .update, .perform, .unknown, .invalid: break
    }
    guard let gap = operation.kind.gap else { return described }
    described.collection = Int(gap.collection.rawValue) - 1
    let anchor = gap.position.anchor
    if anchor != .none { described.before = name(anchor, gap.beforeBy) }
    switch gap.after {
    case .unspecified: break
    case .start: described.isAtStart = true
    case .item(let item): described.after = name(item, gap.afterBy)
    }
    return described
  }

  func refused(by author: Int) -> Set<Int> {
    let refused = replicas[author - 1].pending.filter { pending in
      switch pending.prediction {
      case .shown, .unchanged: false
      case .unknown, .refused: true
      }
    }
    return Set(refused.map { Int($0.operation.sequence.rawValue) })
  }

  func expects(_ answer: ModelAnswer, by author: Int) -> Bool {
    guard let first = replicas[author - 1].pending.first else { return false }
    switch (first.prediction, answer.verdict) {
    case (.shown(_, _, let isRedirected), .accepted): return isRedirected == answer.diff?.isRedirected
    case (.unchanged, .unchanged), (.refused, .refused): return true
    case (.shown, _), (.unchanged, _), (.refused, _), (.unknown, _): return false
    }
  }

  mutating func receive(_ message: Message, by author: Int) -> [Sent<Request>] {
    switch message {
    case .diff(let diff):
      do throws(DiffMismatch) {
        _ = try replicas[author - 1].receive(diff.author == Self.author(author).session ? diff : Self.forOthers(diff))
      } catch {
        preconditionFailure("a diff does not fit: \(error.detail)")
      }
    case .outcome(let outcome): _ = replicas[author - 1].receive(outcome)
    }
    guard replicas[author - 1].retryReason != nil else { return [] }
    return replicas[author - 1].reexpress().operations.map { operation in
      sent(operation, viewAgain(of: operation, by: author), by: author)
    }
  }

  private static func forOthers(_ diff: Diff) -> Diff {
    var diff = diff.forOthers
    diff.minted = []
    return diff
  }

  /// Returns what an author sees around the block of an operation that it sends again, apart from what later ones put.
  private func viewAgain(of operation: TableOperation, by author: Int) -> ModelView {
    guard let gap = operation.kind.gap else { return ModelView() }
    let described = described(operation, by: author)
    let shown = replicas[author - 1].state.itemIDs(in: gap.collection)
    let own = shown.indices.filter { described.items.contains(number(shown[$0], by: author)) }
    guard let first = own.first, let last = own.last else { return ModelView() }
    let block = self.view(shown[first...last], [], by: author) { _ in true }.inFront
    guard block.allSatisfy({ $0.by == described.number }) else { return ModelView() }
    var view = self.view(shown[..<first], shown[(last + 1)...], by: author) { _ in true }
    view.inFront.removeAll { ($0.by ?? 0) > described.number }
    view.behind.removeAll { ($0.by ?? 0) > described.number }
    return view
  }
}

extension ModelVerdict.Reason {
  fileprivate init(_ reason: Reason) {
    switch reason {
    case .unknownItem: self = .unknownItem
    case .anchorGone: self = .anchorGone
    case .contended: self = .contended
    case .capacityExceeded: self = .capacityExceeded
    case .undoTooLate: self = .undoTooLate
    default: self = .other
    }
  }
}

extension TableOperation.Kind {
  /// Whether it may take something from others who were first.
  fileprivate var isOvertakable: Bool {
    switch self {
    case .insert, .undo: false
    case .reorder, .remove, .update, .perform, .unknown, .invalid: true
    }
  }
}
