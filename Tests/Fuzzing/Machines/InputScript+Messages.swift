import BaizeSync
import BaizeTable
import BaizeWire

/// Messages that are almost right: most of what they name exists.
extension InputScript {
  mutating func operation(by peer: HostilePeer, at state: TableState?) -> TableOperation {
    let sequence = SequenceNumber(rawValue: number(near: happens(onceIn: 4) ? 0 : peer.lastSequence.rawValue &+ 1))
    return TableOperation(
      sequence: happens(onceIn: 6) ? sequence : peer.lastSequence.next,
      base: happens(onceIn: 4) ? Revision(rawValue: number(near: peer.revision.rawValue)) : peer.revision,
      epoch: happens(onceIn: 12) ? Epoch(rawValue: number(near: peer.epoch.rawValue)) : peer.epoch,
      unanswered: happens(onceIn: 4) ? UInt32(truncatingIfNeeded: number(near: 1)) : 0,
      kind: kind(at: state, after: peer.lastSequence))
  }

  mutating func kind(at state: TableState?, after sequence: SequenceNumber) -> TableOperation.Kind {
    switch below(16) {
    case 0...6:
      let items = items(at: state, after: sequence)
      let suggested: DropOperation.Set = pick([
        [], [], .copy, .move, .delete, [.move, .copy], DropOperation.Set(rawValue: 255),
      ])
      return .reorder(
        ReorderDifference(sources: items, destination: destination(at: state, after: sequence)), suggested: suggested)
    case 7, 8: return .insert((0..<below(4)).map { _ in newItem() }, destination(at: state, after: sequence))
    case 9: return .remove(items(at: state, after: sequence))
    case 10:
      return .update(
        item(at: state, after: sequence), attributes: newItem().face.attributes,
        representations: newItem().face.representations)
    case 11, 12, 13:
      let names = (state?.type.actions ?? []).map(\.name) + ["no such action"]
      let destination = happens(onceIn: 4) ? destination(at: state, after: sequence) : nil
      return .perform(action: pick(names), items: items(at: state, after: sequence), destination)
    case 14: return .undo(SequenceNumber(rawValue: number(near: sequence.rawValue)))
    default: return .unknown
    }
  }

  mutating func drag(at state: TableState?) -> Drag {
    Drag(
      session: SessionID(rawValue: number(near: 1)), phase: pick([.began, .moved, .ended, .cancelled]),
      items: items(at: state, after: .zero), over: happens(onceIn: 2) ? destination(at: state, after: .zero) : nil,
      formation: pick(Drag.Formation.allCases), x: Int32(truncatingIfNeeded: number(near: 500)),
      y: Int32(truncatingIfNeeded: number(near: 500)), isRefused: happens(onceIn: 4))
  }

  private mutating func items(at state: TableState?, after sequence: SequenceNumber) -> ItemList {
    let count = happens(onceIn: 32) ? TableLimits.itemsPerOperationMax + 1 : below(4)
    guard count <= 4 else { return ItemList(Array(repeating: item(at: state, after: sequence), count: count)) }
    return ItemList((0..<count).map { _ in item(at: state, after: sequence) })
  }

  private mutating func item(at state: TableState?, after sequence: SequenceNumber) -> ItemID {
    if let state, !happens(onceIn: 8) {
      let handle = pick(state.handles)
      let count = state.count(in: handle)
      // The last ones, which piles let go of, are asked for most.
      if count > 0, let item = state.item(at: max(0, count - 1 - below(4)), in: handle) { return item }
    }
    if happens(onceIn: 2) {
      return .provisional(operation: SequenceNumber(rawValue: number(near: sequence.rawValue)), number: below(4))
    }
    return ItemID(rawValue: number(near: 3))
  }

  private mutating func destination(at state: TableState?, after sequence: SequenceNumber) -> Destination {
    let handle =
      if let state, !happens(onceIn: 16) { pick(state.handles) } else {
        CollectionHandle(rawValue: UInt32(truncatingIfNeeded: number(near: 2)))
      }
    let position: Position = happens(onceIn: 2) ? .before(item(at: state, after: sequence)) : .end
    return Destination(
      collection: handle, position: position, then: happens(onceIn: 4) ? item(at: state, after: sequence) : .none)
  }

  private mutating func newItem() -> NewItem {
    let attributes = (0..<(happens(onceIn: 16) ? 64 : below(3))).map { _ in
      Attribute(name: pick(["number", "rank", "suit", "pinned", "", "x\(below(80))"]), value: value())
    }
    let representations = (0..<below(3)).map { _ in
      Representation(contentType: pick(["text/plain", "audio/x-song", ""]), data: bytes(below(8)))
    }
    return NewItem(attributes: attributes, representations: representations)
  }

  private mutating func value() -> AttributeValue? {
    switch below(4) {
    case 0: nil
    case 1: .text(String(repeating: "a", count: below(200)))
    default: .number(Int64(truncatingIfNeeded: number(near: 13)))
    }
  }
}
