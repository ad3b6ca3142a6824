import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// The frames of hostile connections.
struct HostileFrames {
  var random: RandomSource
  private let generator = Generator(.hostile)

  init(random: RandomSource) { self.random = random }

  // MARK: At a table

  /// The next message of a connection that is at a table.
  mutating func message(by connection: StormConnection) -> ClientMessage {
    let knowledge = connection.knowledge
    switch connection.behavior {
    case .snapshotRequester, .nonReader:
      return random.happens(onceIn: 2)
        ? .snapshotRequest(why: "more") : .ping(Ping(nonce: random.number(), wantsHash: true))
    case .dragger: return random.happens(onceIn: 3) ? random.expression() : .drag(random.drag(by: knowledge))
    case .repeatedHello: return .hello(hello(table: HonestTables.options.tableName(0), type: ""))
    case .player, .intruder, .thief, .invalidHello, .invalidFirstFrame, .invalidBytes, .partialFrame, .oversizedFrame,
      .silent, .immediateClose, .brokenRequest, .headerFlood, .slowSender, .partialRequest, .pipeliner,
      .unreadPipeliner, .brokenUpgrade, .brokenFrames, .frameFlood:
      break
    }
    switch random.below(100) {
    // What was inserted is removed again, so that tables do not grow from storm to storm.
    case 0..<80 where connection.itemCount > Self.itemsMax:
      var operation = generator.operation(by: knowledge, &random)
      operation.kind = .remove(ItemList(knowledge.items))
      return .operation(operation)
    case 0..<80: return .operation(generator.operation(by: knowledge, &random))
    case 80..<86: return .drag(random.drag(by: knowledge))
    case 86..<94: return .ping(Ping(nonce: random.number(), wantsHash: random.happens(onceIn: 2)))
    case 94..<98: return .snapshotRequest(why: String(repeating: "why ", count: random.below(64)))
    default: return .unknown
    }
  }

  private static let itemsMax = 400

  /// Any message of a connection that is at no table.
  mutating func anything() -> ClientMessage {
    let nobody = StormConnection(key: .init(slot: 0, generation: 1), behavior: .player, table: 0, inputsLeft: 1)
    return random.happens(onceIn: 8) ? .goodbye(Goodbye(.leaving)) : message(by: nobody)
  }

  // MARK: Before the welcome

  func hello(table: String, type: String) -> Hello { Hello(table: table, tableType: type, name: "hostile") }

  /// A hello that the daemon must refuse.
  mutating func wrongHello(_ tables: [StormTable]) -> Hello {
    let table = random.pick(tables)
    var hello = hello(table: table.name, type: table.type)
    switch random.below(9) {
    case 0: hello.version = UInt32(truncatingIfNeeded: random.number() | 2)
    case 1: hello.table = random.pick(["", "../../etc/passwd", "a b", String(repeating: "x", count: 65), "\u{0}"])
    case 2:
      hello.tableType = random.pick([
        "chess", "list?items=-1", "list?items", "klondike?draw=2", "?", "list?items=1&items=1",
      ])
    case 3: hello.credential = random.bytes(1 + Int(random.below(31)))
    case 4: hello.credential = random.bytes(33)
    case 5: (hello.credential, hello.sessionName) = (random.bytes(32), random.bytes(17))
    case 6: hello.seed = random.number() | 1
    case 7: hello.name = String(repeating: "n", count: 65)
    default:
      hello.tableType = table.type == "grid" ? "klondike" : "grid"
      hello.epoch = Epoch(rawValue: random.number())
    }
    return hello
  }

  /// Bytes that may begin like a frame.
  mutating func invalidBytes() -> [UInt8] {
    switch random.below(4) {
    case 0: random.bytes(1 + random.below(2_000))
    case 1: [UInt8](repeating: 0xFF, count: 1 + random.below(64))
    case 2: [UInt8(1 + random.below(100))] + random.bytes(random.below(100))
    default: Array("GET / HTTP/1.1\r\nHost: baize\r\n\r\n".utf8)
    }
  }
}
