package import BaizeSync
package import BaizeTable
package import BaizeWire

/// The knowledge of a hostile peer about its session and its table, from which it makes messages that are almost right: most
/// of what they name exists.
package struct HostileKnowledge {
  package var epoch = Epoch(rawValue: 1)
  package var revision = Revision.zero
  package var lastSequence = SequenceNumber.zero
  /// Some of the table's items.
  package var items: [ItemID] = []
  package var collectionCount = 13
  package var actions = ["draw", "pin", "unpin"]
  /// Once in so many operations the epoch or the base is wrong, and once in four times as many the number, which ends the
  /// connection.
  package var operationsPerMistake = 8

  package init() {}

  /// Adds the items and actions of a table: the last items of each collection, which piles allow to lift.
  package mutating func note(_ state: TableState) {
    items = state.handles.flatMap { handle in
      state.items(in: handle, from: max(0, state.visibleCount(in: handle) - 4), limit: 4).map(\.id)
    }
    collectionCount = state.handles.count
    actions = state.type.actions.map(\.name)
  }
}

extension DecisionSource {
  package mutating func operation(by peer: HostileKnowledge) -> TableOperation {
    let mistake = peer.operationsPerMistake
    return TableOperation(
      sequence: happens(onceIn: 4 * mistake)
        ? SequenceNumber(rawValue: number(near: peer.lastSequence.rawValue)) : peer.lastSequence.next,
      base: happens(onceIn: mistake) ? Revision(rawValue: number(near: peer.revision.rawValue)) : peer.revision,
      epoch: happens(onceIn: mistake) ? Epoch(rawValue: number(near: peer.epoch.rawValue)) : peer.epoch,
      unanswered: happens(onceIn: 4) ? UInt32(truncatingIfNeeded: number(near: 1)) : 0, kind: kind(by: peer))
  }

  package mutating func kind(by peer: HostileKnowledge) -> TableOperation.Kind {
    switch below(16) {
    case 0...6:
      return .move(
        items(of: peer), to: destination(by: peer),
        suggested: pick([[], [], .copy, .move, .delete, .alias, [.move, .copy], DropOperation.Set(rawValue: 255)]))
    case 7, 8:
      let count = happens(onceIn: 16) ? TableLimits.itemsPerOperationMax + 1 : below(4)
      return .insert(Array(repeating: newItem(), count: count), destination(by: peer))
    case 9: return .remove(items(of: peer))
    case 10:
      let face = newItem().face
      return .update(item(of: peer), attributes: face.attributes, representations: face.representations)
    case 11, 12, 13:
      let action = pick(peer.actions + ["no such action", String(repeating: "a", count: 64 + below(2))])
      return .perform(
        action: action, items: items(of: peer), happens(onceIn: 4) ? destination(by: peer) : nil)
    case 14: return .undo(SequenceNumber(rawValue: number(near: peer.lastSequence.rawValue)))
    default: return .unknown
    }
  }

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

  private mutating func items(of peer: HostileKnowledge) -> ItemList {
    if happens(onceIn: 32) {
      return ItemList(Array(repeating: item(of: peer), count: TableLimits.itemsPerOperationMax + 1))
    }
    return ItemList((0..<below(4)).map { _ in item(of: peer) })
  }

  private mutating func item(of peer: HostileKnowledge) -> ItemID {
    if !peer.items.isEmpty, !happens(onceIn: 8) { return pick(peer.items) }
    if happens(onceIn: 2) {
      let operation = SequenceNumber(rawValue: number(near: peer.lastSequence.rawValue))
      return .provisional(operation: operation, number: below(4))
    }
    return ItemID(rawValue: number(near: 3))
  }

  private mutating func destination(by peer: HostileKnowledge) -> Destination {
    let handle =
      happens(onceIn: 16) ? UInt32(truncatingIfNeeded: number(near: 2)) : UInt32(1 + below(peer.collectionCount))
    var destination = Destination(
      collection: CollectionHandle(rawValue: handle),
      position: happens(onceIn: 2) ? .before(item(of: peer)) : .end,
      then: happens(onceIn: 4) ? item(of: peer) : .none)
    if happens(onceIn: 8) { destination.container = item(of: peer) }
    return destination
  }

  private mutating func newItem() -> NewItem {
    let count = happens(onceIn: 16) ? 64 + below(2) : below(3)
    let attributes = (0..<count).map { _ in
      Attribute(name: name(), value: value())
    }
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

  private mutating func value() -> AttributeValue? {
    switch below(4) {
    case 0: nil
    case 1: .text(String(repeating: "a", count: happens(onceIn: 64) ? (16 << 10) + below(2) : below(200)))
    default: .number(Int64(truncatingIfNeeded: number(near: 13)))
    }
  }
}
