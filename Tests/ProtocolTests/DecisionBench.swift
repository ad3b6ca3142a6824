import BaizeTableTypes

@testable import BaizeTable

/// A table as a decision describes it, for one operation.
struct DecisionBench {
  private var table: Table
  private var ids: [String: ItemID] = [:]
  private var names: [ItemID: String] = [:]
  /// By seat, how many operations it has asked for.
  private var asks: [UInt32: UInt64] = [:]
  private let decision: Decision

  init(_ decision: Decision) throws {
    self.decision = decision
    let type = try TableTypeLibrary.bundled.tableType(decision.type)
    table = Table(type: type, random: RandomSource(seed: 1))
    var state = TableState(type: type)
    var index = 0
    while index < state.collections.count {
      let kind = state.kind(of: index)
      let name = state.rules(of: CollectionHandle(index: index)).id
      for piece in decision.collections[name] ?? [] {
        let id = ItemID(rawValue: UInt64(ids.count + 1))
        (ids[piece.name], names[id]) = (id, piece.name)
        let record = ItemRecord(
          id: id, placed: .zero, placedBy: .daemon, isFaceUp: kind.faces.isFaceUp(piece.up ?? true), isFaceKnown: true,
          isPinned: piece.pinned ?? false)
        let slot = state.create(id, face: piece.newItem.face, record: record)
        if let opening = kind.opens { state.open(state.collections.count, of: opening.kind, by: slot) }
        state.put(slot, in: index, before: -1)
      }
      state.setEnabled(index, !(decision.disabled ?? []).contains(name))
      index += 1
    }
    for (name, value) in decision.variables ?? [:] { state.set(Attribute(name: name, value: value.value)) }
    state.setSeats(
      (decision.seats ?? []).map {
        Seat(number: SeatNumber(rawValue: $0), name: "", person: SessionID(rawValue: UInt64($0)))
      })
    if let status = decision.status { state.setStatus(status) }
    state.nextID = UInt64(ids.count + 1)
    state.indexKeys(seed: 1)
    table.state = state
  }

  /// Judges the operation.
  mutating func verdict() -> Decision.Verdict {
    for earlier in decision.earlier ?? [] { _ = judge(earlier.operation, seat: earlier.seat) }
    let before = table.state
    if let name = decision.operation.expire {
      let limits = table.state.type.timeLimits
      guard let limit = name == "turn" ? limits.turn : limits.table, table.state.runs(limit) else {
        return Decision.Verdict(refused: Decision.Refused(reason: "", rule: "clock.\(name)"))
      }
      guard let diff = table.expire(limit).diff else { return Decision.Verdict(unchanged: true) }
      return Decision.Verdict(accepted: accepted(diff, before))
    }
    switch judge(decision.operation, seat: decision.seat ?? 1) {
    case .accepted(let diff): return Decision.Verdict(accepted: accepted(diff, before))
    case .unchanged: return Decision.Verdict(unchanged: true)
    case .refused(let refusal), .retry(let refusal):
      return Decision.Verdict(refused: Decision.Refused(reason: refusal.reason.rawValue, rule: refusal.rule))
    }
  }

  private mutating func judge(_ asked: Decision.Asked, seat: UInt32) -> Judgement {
    asks[seat, default: 0] += 1
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: asks[seat] ?? 0), base: table.state.revision, epoch: Epoch(rawValue: 1),
      kind: kind(of: asked))
    let author = Author(session: SessionID(rawValue: UInt64(seat)), seat: SeatNumber(rawValue: seat))
    var memory = AuthorMemory()
    return table.judge(operation, by: author, memory: &memory)
  }

  // MARK: In

  private func kind(of asked: Decision.Asked) -> TableOperation.Kind {
    if let reorder = asked.reorder {
      let suggested = (reorder.suggested ?? []).reduce(into: DropOperation.Set()) { set, name in
        set.insert(DropOperation.Set(DropOperation.allCases.first { "\($0)" == name } ?? .forbidden))
      }
      let difference = ReorderDifference(
        sources: reorder.sources.map(id), destination: destination(reorder.to, reorder.before))
      return .reorder(difference, suggested: suggested)
    }
    if let insert = asked.insert {
      return .insert(insert.items.map(\.newItem), destination(insert.to, insert.before))
    }
    if let remove = asked.remove { return .remove(ItemList(remove.map(id))) }
    if let update = asked.update {
      let attributes = update.attributes.sorted { $0.key < $1.key }.map {
        Attribute(name: $0.key, value: $0.value?.value)
      }
      return .update(id(update.item), attributes: attributes, representations: [])
    }
    if let perform = asked.perform {
      return .perform(action: perform.action, items: ItemList(perform.items.map(id)), nil)
    }
    if let target = asked.undo { return .undo(SequenceNumber(rawValue: target)) }
    return .unknown
  }

  private func id(_ name: String) -> ItemID { ids[name] ?? ItemID(rawValue: 1 << 40) }

  private func destination(_ collection: String, _ anchor: String?) -> Destination {
    let handle = table.state.type.handle(of: collection) ?? opened(collection) ?? CollectionHandle(rawValue: 1 << 20)
    return Destination(collection: handle, position: Position(anchor: anchor.map(id) ?? .none))
  }

  /// Returns the handle in the name of a collection that an item opens, such as `column/2` (rule Q1).
  private func opened(_ name: String) -> CollectionHandle? {
    let type = table.state.type
    let parts = name.split(separator: "/")
    guard parts.count == 2, let handle = UInt32(parts[1]), handle > type.collections.count,
      type.kinds.contains(where: { $0.name == parts[0] })
    else { return nil }
    return CollectionHandle(rawValue: handle)
  }

  // MARK: Out

  private func accepted(_ diff: Diff, _ before: TableState) -> Decision.Accepted {
    var accepted = Decision.Accepted(
      operation: "\(diff.operation)", redirected: diff.isRedirected ? true : nil, after: [:])
    for handle in table.state.handles {
      let isNew = !before.handles.contains(handle)
      guard !isNew || table.state.count(in: handle) > 0 else { continue }
      if !isNew, before.itemIDs(in: handle) == table.state.itemIDs(in: handle) { continue }
      accepted.after[id(of: handle)] = table.state.itemIDs(in: handle).map { name($0, before) }
    }
    for index in diff.changes.indices {
      // What others receive instead of the truth.
      if case .except = diff.audience(at: index) { continue }
      switch diff.changes[index] {
      case .moved(let items, let to): land(&accepted, items.count, to, before)
      case .inserted(let items, let to): land(&accepted, items.count, to, before)
      case .removed(let items): if accepted.count == nil { accepted.count = items.count }
      case .faced(let items): accepted.turned = (accepted.turned ?? []) + items.map { name($0.id, before) }
      case .status(let status): accepted.status = status
      case .variables(let variables):
        for variable in variables {
          accepted.variables = accepted.variables ?? [:]
          accepted.variables?[variable.name] = variable.value.map(Scalar.init)
        }
      case .enabled, .counted, .seats: break
      }
    }
    if decision.operation.reorder != nil { accepted.attributes = stamped(before) }
    // Actions, undos and what happens when a time is up may have several landings.
    if decision.operation.perform != nil || decision.operation.undo != nil || decision.operation.expire != nil {
      (accepted.to, accepted.before, accepted.count) = (nil, nil, nil)
    }
    return accepted
  }

  private func stamped(_ before: TableState) -> [String: [String: Scalar]]? {
    var stamped: [String: [String: Scalar]] = [:]
    for (name, id) in ids {
      guard let face = table.state.item(id)?.face, let former = before.item(id)?.face, face != former else { continue }
      stamped[name] = Dictionary(
        uniqueKeysWithValues: face.attributes.compactMap { one in one.value.map { (one.name, Scalar($0)) } })
    }
    return stamped.isEmpty ? nil : stamped
  }

  private func land(_ accepted: inout Decision.Accepted, _ count: Int, _ to: Placement, _ before: TableState) {
    accepted.count = count
    accepted.to = id(of: to.collection)
    accepted.before = to.position == .end ? nil : name(to.position.anchor, before)
  }

  private func id(of handle: CollectionHandle) -> String { table.state.rules(of: handle).id }

  private func name(_ id: ItemID, _ before: TableState) -> String {
    if let name = names[id] { return name }
    let attributes = table.state.item(id)?.face.attributes
    let brought = decision.operation.insert?.items ?? []
    let original =
      brought.first { $0.newItem.face.attributes == attributes }?.name
      ?? names.keys.sorted { $0.rawValue < $1.rawValue }.first { before.item($0)?.face.attributes == attributes }
      .flatMap { names[$0] }
    return "+" + (original ?? "?")
  }
}

extension Decision.Piece {
  var newItem: NewItem {
    NewItem(
      attributes: (attributes ?? [:]).map { Attribute(name: $0.key, value: $0.value.value) },
      representations: (representations ?? []).map {
        Representation(contentType: $0.contentType, data: Array($0.text.utf8))
      })
  }
}
