import BaizeTable
import BaizeWire

@testable import BaizeSync

/// What clients do by chance: mostly sensible, sometimes hostile.
extension World {
  func act(_ client: Client) throws {
    guard client.machine.phase != .idle else {
      try client.handle { machine, now, effects in machine.start(at: now, into: &effects) }
      client.actsAt = now + UInt64(random.below(client.meanPause * 2)) + 1
      return
    }
    if let replica = client.machine.replica, client.actionsLeft > 0 {
      client.actionsLeft -= 1
      try client.submit(operation(in: replica), sendsRefused: random.happens(onceIn: 5))
      if configuration.lossOnceIn > 0, random.happens(onceIn: configuration.lossOnceIn) { try lose(client) }
      if client.machine.isLive, configuration.snapshotOnceIn > 0, random.happens(onceIn: configuration.snapshotOnceIn) {
        send(.snapshotRequest(why: "by chance"), from: client)
      }
    }
    client.actsAt = client.actionsLeft > 0 ? now + UInt64(random.below(client.meanPause * 2)) + 1 : nil
  }

  private func operation(in replica: Replica) -> TableOperation.Kind {
    if random.happens(onceIn: 12) { return illegal(replica.state) }
    let state = replica.state
    switch random.below(20) {
    case 0, 1: return .insert(newItems(), destination(in: state))
    case 2: return .remove(sources(in: state, max: 3))
    case 3:
      return .update(source(in: state), attributes: [Attribute("note", Int64(random.below(5)))], representations: [])
    case 4, 5, 6:
      guard let action = state.type.actions.isEmpty ? nil : random.pick(state.type.actions) else { break }
      return .perform(
        action: action.name, items: action.items == .subject ? sources(in: state, max: 2) : [], nil)
    default: break
    }
    if let legal = state.type.allowsMixedSources ? nil : run(in: replica) { return legal }
    let suggested: DropOperation.Set = random.happens(onceIn: 5) ? .copy : []
    return .reorder(
      ReorderDifference(
        sources: sources(in: state, max: random.happens(onceIn: 3) ? 4 : 1), destination: destination(in: state)),
      suggested: suggested)
  }

  /// A move that the rules of a card game may well allow: everything from an open card on, to where it would go.
  private func run(in replica: Replica) -> TableOperation.Kind? {
    let state = replica.state
    for _ in 0..<6 {
      let items = state.itemIDs(in: random.pick(state.handles))
      let open = items.drop { !state.isFaceUp($0) }
      guard !open.isEmpty else { continue }
      let sources = ItemList(open.dropFirst(random.below(open.count)))
      let legal = state.dropConfigurations(for: sources, by: replica.author.seat).filter {
        $0.configuration.operation == .move && state.collection(of: sources[0]) != $0.collection
      }
      guard !legal.isEmpty else { continue }
      let destination = Destination.end(of: random.pick(legal).collection)
      return .reorder(ReorderDifference(sources: sources, destination: destination), suggested: [])
    }
    return nil
  }

  private func illegal(_ state: TableState) -> TableOperation.Kind {
    let item = source(in: state)
    let elsewhere = Destination.end(of: CollectionHandle(rawValue: random.pick([0, 999, .max])))
    let unknown = ItemID(rawValue: random.pick([1 << 40, .max, 1 << 63, 0]))
    switch random.below(8) {
    case 0: return .reorder(ReorderDifference(sources: [], destination: destination(in: state)), suggested: [])
    case 1:
      return .reorder(ReorderDifference(sources: [item, item], destination: destination(in: state)), suggested: [])
    case 2: return .reorder(ReorderDifference(sources: [item], destination: elsewhere), suggested: [])
    case 3: return .reorder(ReorderDifference(sources: [unknown], destination: destination(in: state)), suggested: [])
    case 4:
      let handle = random.pick(state.handles)
      return .reorder(
        ReorderDifference(
          sources: [item], destination: .before(random.happens(onceIn: 2) ? unknown : item, in: handle)),
        suggested: [])
    case 5: return .remove([item, unknown])
    case 6: return .perform(action: "no such action", items: [item], nil)
    default: return .insert([], elsewhere)
    }
  }

  private func newItems() -> [NewItem] {
    (0...random.below(3)).map { _ in
      NewItem(
        attributes: [Attribute("number", Int64(random.below(1_000)))],
        representations: random.happens(onceIn: 2) ? [Representation(contentType: "text/plain", data: [65])] : [])
    }
  }

  private func source(in state: TableState) -> ItemID {
    for _ in 0..<8 {
      let handle = random.pick(state.handles)
      let count = state.count(in: handle)
      if count > 0, let item = state.item(at: random.below(count), in: handle) { return item }
    }
    return ItemID(rawValue: 1)
  }

  private func sources(in state: TableState, max: Int) -> ItemList {
    var items: [ItemID] = []
    for _ in 0...random.below(max) {
      let item = source(in: state)
      if !items.contains(item) { items.append(item) }
    }
    return ItemList(items)
  }

  private func destination(in state: TableState) -> Destination {
    let handle = random.pick(state.handles)
    let count = state.count(in: handle)
    guard count > 0, !random.happens(onceIn: 4), let item = state.item(at: random.below(count), in: handle) else {
      return .end(of: handle)
    }
    return .before(item, in: handle)
  }
}
