package import BaizeTable
package import BaizeWire

/// The knowledge of a hostile peer about a session and its table, from which it makes messages that are almost right: most
/// of what they name exists. A client's are operations, a daemon's are diffs, snapshots and outcomes.
package struct HostileKnowledge {
  package var epoch = Epoch(rawValue: 1)
  package var revision = Revision.zero
  package var lastSequence = SequenceNumber.zero
  /// Some of the table's items.
  package var items: [ItemID] = []
  package var collectionCount = 13
  package var actions = ["draw", "pin", "unpin"]

  package init() {}

  /// Knows the items and actions of a table: the last items of each collection, which piles allow to lift.
  ///
  /// - Parameter last: The number of the peer's last operation.
  package init(_ state: TableState, after last: SequenceNumber) {
    items = state.handles.flatMap { handle in
      state.items(in: handle, from: max(0, state.visibleCount(in: handle) - 4), limit: 4).map(\.id)
    }
    collectionCount = state.handles.count
    actions = state.type.actions.map(\.name)
    lastSequence = last
  }
}

/// Hostile operations, of a peer that need not know its table.
extension Generator {
  package func operation(by peer: HostileKnowledge, _ decisions: inout some DecisionSource) -> TableOperation {
    let mistake = weights.mistakes
    return TableOperation(
      sequence: decisions.happens(onceIn: 4 * mistake)
        ? decisions.id(near: peer.lastSequence) : peer.lastSequence.next,
      base: decisions.happens(onceIn: mistake) ? decisions.id(near: peer.revision) : peer.revision,
      epoch: decisions.happens(onceIn: mistake) ? decisions.id(near: peer.epoch) : peer.epoch,
      unanswered: decisions.happens(onceIn: 4) ? UInt32(truncatingIfNeeded: decisions.number(near: 1)) : 0,
      kind: kind(by: peer, &decisions))
  }

  package func kind(by peer: HostileKnowledge, _ decisions: inout some DecisionSource) -> TableOperation.Kind {
    switch weights.content(&decisions) {
    case .move, .copy, .alias:
      return .move(
        decisions.items(of: peer), to: decisions.destination(by: peer),
        suggested: decisions.pick([
          [], [], .copy, .move, .delete, .alias, [.move, .copy], DropOperation.Set(rawValue: 255),
        ]))
    case .insert:
      let count = decisions.happens(onceIn: 16) ? TableLimits.itemsPerOperationMax + 1 : decisions.below(4)
      return .insert(Array(repeating: decisions.newItem(), count: count), decisions.destination(by: peer))
    case .remove: return .remove(decisions.items(of: peer))
    case .update:
      let face = decisions.newItem().face
      return .update(
        decisions.item(of: peer), attributes: face.attributes, representations: face.representations)
    case .perform:
      let unknown = ["no such action", String(repeating: "a", count: 64 + decisions.below(2))]
      let action = decisions.pick(peer.actions + unknown)
      return .perform(
        action: action, items: decisions.items(of: peer),
        decisions.happens(onceIn: 4) ? decisions.destination(by: peer) : nil)
    case .undo: return .undo(decisions.id(near: peer.lastSequence))
    case .unknown: return .unknown
    }
  }
}

extension DecisionSource {
  package mutating func drag(by peer: HostileKnowledge) -> Drag {
    Drag(
      session: SessionID(rawValue: number(near: 1)), phase: pick([.began, .moved, .ended, .cancelled]),
      items: items(of: peer), over: happens(onceIn: 2) ? destination(by: peer) : nil,
      formation: pick(Drag.Formation.allCases), x: Int32(truncatingIfNeeded: number(near: 500)),
      y: Int32(truncatingIfNeeded: number(near: 500)), isRefused: happens(onceIn: 4))
  }

  /// Returns a value of presence or a message to the table, some of them too long.
  package mutating func expression() -> ClientMessage {
    let length = happens(onceIn: 4) ? below(4 * WireLimits.chatTextBytesMax) : below(8)
    if happens(onceIn: 2) {
      return .presence(Presence(session: SessionID(rawValue: 1), value: Array(repeating: 7, count: length)))
    }
    return .chat(Chat(kind: pick(["", "emote"]), text: String(repeating: "é", count: length), refusal: .forbidden))
  }

  package mutating func items(of peer: HostileKnowledge) -> ItemList {
    if happens(onceIn: 32) {
      return ItemList(Array(repeating: item(of: peer), count: TableLimits.itemsPerOperationMax + 1))
    }
    return ItemList((0..<below(4)).map { _ in item(of: peer) })
  }

  package mutating func item(of peer: HostileKnowledge) -> ItemID {
    if !peer.items.isEmpty, !happens(onceIn: 8) { return pick(peer.items) }
    if happens(onceIn: 2) {
      return .provisional(operation: id(near: peer.lastSequence), number: below(4))
    }
    return ItemID(rawValue: number(near: 3))
  }

  package mutating func collection(of peer: HostileKnowledge) -> CollectionHandle {
    CollectionHandle(
      rawValue: happens(onceIn: 16)
        ? UInt32(truncatingIfNeeded: number(near: 2)) : UInt32(1 + below(peer.collectionCount)))
  }

  package mutating func destination(by peer: HostileKnowledge) -> Destination {
    var destination = Destination(
      collection: collection(of: peer), position: happens(onceIn: 2) ? .before(item(of: peer)) : .end)
    if happens(onceIn: 4) { destination.after = happens(onceIn: 4) ? .start : .item(item(of: peer)) }
    if happens(onceIn: 4) { destination.beforeBy = SequenceNumber(rawValue: number(near: 2)) }
    if happens(onceIn: 4) { destination.afterBy = SequenceNumber(rawValue: number(near: 2)) }
    if happens(onceIn: 8) { destination.container = item(of: peer) }
    return destination
  }

  package mutating func newItem() -> NewItem {
    let count = happens(onceIn: 16) ? 64 + below(2) : below(3)
    let attributes = (0..<count).map { _ in Attribute(name: name(), value: value()) }
    let few = happens(onceIn: 32) ? 16 + below(2) : below(3)
    let representations = (0..<few).map { _ in
      Representation(contentType: pick(["text/plain", "audio/x-song", ""]), data: bytes(below(8)))
    }
    return NewItem(attributes: attributes, representations: representations)
  }

  private mutating func name() -> String {
    happens(onceIn: 32)
      ? String(repeating: "n", count: 64 + below(2)) : pick(["number", "rank", "suit", "pinned", "", "x\(below(80))"])
  }

  package mutating func value() -> AttributeValue? {
    switch below(4) {
    case 0: nil
    case 1: .text(String(repeating: "a", count: happens(onceIn: 64) ? (16 << 10) + below(2) : below(200)))
    default: .number(Int64(truncatingIfNeeded: number(near: 13)))
    }
  }
}
