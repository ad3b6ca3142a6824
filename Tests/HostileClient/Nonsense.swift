import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Messages with valid frames and nonsense inside.
struct Nonsense {
  var random: RandomSource

  mutating func below(_ count: Int) -> Int { Int(random.next(below: UInt64(count))) }

  mutating func happens(onceIn count: Int) -> Bool { below(count) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }

  /// A number that is somewhere else altogether.
  mutating func number() -> UInt64 { pick([0, 1, 2, .max, .max - 1, 1 << 63, 1 << 62, 1 << 32, random.next()]) }

  // MARK: At a table

  /// What a connection that is at a table says next.
  mutating func message(by connection: StormConnection) -> ClientMessage {
    switch connection.manner {
    case .glutton, .deaf:
      return happens(onceIn: 2) ? .snapshotRequest(why: "more") : .ping(Ping(nonce: number(), wantsHash: true))
    case .dragger: return .drag(drag(by: connection))
    case .babbler: return .hello(hello(table: "honest-0", type: ""))
    case .player, .intruder, .thief, .stranger, .rude, .noise, .half, .giant, .mute, .slam: break
    }
    switch below(100) {
    case 0..<80: return .operation(operation(by: connection))
    case 80..<86: return .drag(drag(by: connection))
    case 86..<94: return .ping(Ping(nonce: number(), wantsHash: happens(onceIn: 2)))
    case 94..<98: return .snapshotRequest(why: String(repeating: "why ", count: below(64)))
    default: return .unknown
    }
  }

  mutating func anything() -> ClientMessage {
    var nobody = StormConnection(key: .init(slot: 0, generation: 1), manner: .player, table: 0, frames: 1)
    nobody.epoch = Epoch(rawValue: 1)
    return happens(onceIn: 8) ? .goodbye(Goodbye(.leaving)) : message(by: nobody)
  }

  /// The right number mostly, so that what it asks is judged; a wrong one ends the connection.
  private mutating func operation(by connection: StormConnection) -> TableOperation {
    let isOutOfOrder = happens(onceIn: 400)
    return TableOperation(
      sequence: isOutOfOrder ? SequenceNumber(rawValue: number()) : connection.nextSequence,
      base: happens(onceIn: 80) ? Revision(rawValue: number()) : connection.revision,
      epoch: happens(onceIn: 120) ? Epoch(rawValue: number()) : connection.epoch,
      unanswered: UInt32(truncatingIfNeeded: happens(onceIn: 8) ? number() : 0), kind: kind(by: connection))
  }

  private mutating func kind(by connection: StormConnection) -> TableOperation.Kind {
    // What was brought is taken away again, so that tables do not grow from storm to storm.
    if connection.itemCount > Self.itemsMax { return .remove(ItemList(connection.items)) }
    switch below(20) {
    case 0..<10:
      return .reorder(
        ReorderDifference(sources: items(of: connection), destination: destination(by: connection)),
        suggested: happens(onceIn: 30) ? .copy : pick([[], .move, .delete, DropOperation.Set(rawValue: 0xFF)]))
    case 10: return .insert((0..<below(3)).map { _ in newItem() }, destination(by: connection))
    case 11:
      return .insert(
        Array(repeating: NewItem(), count: TableLimits.itemsPerOperationMax + 1), destination(by: connection))
    case 12, 13: return .remove(items(of: connection))
    case 14, 15:
      return .update(item(of: connection), attributes: newItem().face.attributes, representations: [])
    case 16, 17:
      let action = pick(["draw", "pin", "unpin", "", "no such action", String(repeating: "a", count: 64)])
      return .perform(action: action, items: items(of: connection), nil)
    case 18: return .undo(SequenceNumber(rawValue: number()))
    default: return .unknown
    }
  }

  private static let itemsMax = 400

  private mutating func items(of connection: StormConnection) -> ItemList {
    if happens(onceIn: 50) { return ItemList(Array(repeating: item(of: connection), count: 1_001)) }
    return ItemList((0..<below(4)).map { _ in item(of: connection) })
  }

  private mutating func item(of connection: StormConnection) -> ItemID {
    if !connection.items.isEmpty, !happens(onceIn: 6) { return pick(connection.items) }
    if happens(onceIn: 2) {
      return .provisional(operation: SequenceNumber(rawValue: number()), number: below(1 << 12))
    }
    return ItemID(rawValue: happens(onceIn: 2) ? UInt64(below(300)) : number())
  }

  private mutating func destination(by connection: StormConnection) -> Destination {
    let handle = happens(onceIn: 10) ? UInt32(truncatingIfNeeded: number()) : UInt32(1 + below(13))
    return Destination(
      collection: CollectionHandle(rawValue: handle),
      position: happens(onceIn: 2) ? .end : .before(item(of: connection)),
      then: happens(onceIn: 4) ? item(of: connection) : .none)
  }

  private mutating func newItem() -> NewItem {
    let attributes = (0..<(happens(onceIn: 30) ? 65 : below(4))).map { number in
      Attribute("a\(happens(onceIn: 2) ? number : below(4))", Int64(truncatingIfNeeded: self.number()))
    }
    return NewItem(attributes: attributes)
  }

  private mutating func drag(by connection: StormConnection) -> Drag {
    Drag(
      session: SessionID(rawValue: number()), phase: pick([.began, .moved, .moved, .moved, .ended, .cancelled]),
      items: happens(onceIn: 4) ? ItemList(connection.items) : items(of: connection),
      over: happens(onceIn: 2) ? destination(by: connection) : nil, formation: pick(Drag.Formation.allCases),
      x: Int32(truncatingIfNeeded: number()), y: Int32(truncatingIfNeeded: number()), isRefused: happens(onceIn: 2))
  }

  // MARK: At the door

  func hello(table: String, type: String) -> Hello { Hello(table: table, tableType: type, name: "hostile") }

  /// Something that the daemon must turn away.
  mutating func wrongHello(_ tables: [StormTable]) -> Hello {
    let table = pick(tables)
    var hello = hello(table: table.name, type: table.type)
    switch below(9) {
    case 0: hello.version = UInt32(truncatingIfNeeded: number() | 2)
    case 1: hello.table = pick(["", "../../etc/passwd", "a b", String(repeating: "x", count: 65), "\u{0}"])
    case 2:
      hello.tableType = pick(["chess", "list?items=-1", "list?items", "klondike?draw=2", "?", "list?items=1&items=1"])
    case 3: hello.resumeToken = bytes(24)
    // A session of another table, or one number too high.
    case 4: hello.resumeToken = pick(tables).tokens.first ?? bytes(23)
    case 5: hello.resumeToken = [1, 0, 0, 0, 0, 0, 0, 0] + bytes(16)
    case 6: hello.seed = number() | 1
    case 7: hello.name = String(repeating: "n", count: 65)
    default:
      hello.tableType = table.type == "grid" ? "klondike" : "grid"
      hello.epoch = Epoch(rawValue: number())
    }
    return hello
  }

  /// Bytes that may begin like a frame.
  mutating func noise() -> [UInt8] {
    switch below(4) {
    case 0: bytes(1 + below(2_000))
    case 1: [UInt8](repeating: 0xFF, count: 1 + below(64))
    case 2: [UInt8(1 + below(100))] + bytes(below(100))
    default: Array("GET / HTTP/1.1\r\nHost: baize\r\n\r\n".utf8)
    }
  }
}
