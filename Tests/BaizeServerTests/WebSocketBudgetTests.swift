import BaizeHTTP
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

@testable import BaizeServer

/// The work of frames that are no messages, which counts in a turn's budget (I11).
@Suite struct WebSocketBudgetTests {
  enum Flood: CaseIterable {
    case pingsBeforeTheHello
    case pings
    case emptyFragments

    static let frames = 20_000

    /// A hello and a ping of the protocol, and frames that are no messages.
    var bytes: [UInt8] {
      let hello = ClientMessage.hello(Hello(table: "flood", tableType: "list?items=3")).encoded()
      let message = ClientMessage.ping(Ping(nonce: 7)).encoded()
      let pings = [[UInt8]](repeating: WebSocketFrame.bytes(.ping, [], mask: 3), count: Self.frames).flatMap(\.self)
      let first = WebSocketFrame.bytes(.binary, hello, mask: 1)
      switch self {
      case .pingsBeforeTheHello: return pings + first + WebSocketFrame.bytes(.binary, message, mask: 2)
      case .pings: return first + pings + WebSocketFrame.bytes(.binary, message, mask: 2)
      case .emptyFragments:
        let fragment = WebSocketFrame.bytes(.continuation, [], isFinal: false, mask: 5)
        return first + WebSocketFrame.bytes(.binary, [], isFinal: false, mask: 4)
          + [[UInt8]](repeating: fragment, count: Self.frames).flatMap(\.self)
          + WebSocketFrame.bytes(.continuation, message, mask: 2)
      }
    }

    var pongs: Int { self == .emptyFragments ? 0 : Self.frames }
  }

  /// The shard runs on the test's thread, turn by turn.
  private final class Bench {
    let shard: Shard

    init() throws {
      let endpoint = try ShardEndpoint(index: 0)
      var configuration = ServerConfiguration()
      configuration.address = .loopback(port: 0)
      shard = try Shard(
        endpoint, among: [endpoint], configuration, ConnectionLimiter(connectionsMax: 10, perAddressMax: nil),
        MemoryAccount(bytesMax: 1 << 30, shards: 1, log: configuration.log), try TableWorkers(), nil,
        JournalMonitor(configuration.log))
    }

    func turn() throws { try shard.loop.turn(shard, timeout: 1_000_000) }

    /// Connects a client whose bytes have all arrived at once.
    func connect(sending bytes: [UInt8], _ framing: ShardMessage.Framing) throws -> BlockingClient {
      let address = try #require(shard.listener.flatMap(shard.loop.address))
      let client = try BlockingClient(address)
      let last = shard.connections.count
      while shard.connections.count == last { try turn() }
      let key = ConnectionKey(slot: UInt32(last), generation: shard.connections[last].generation)
      let detached = try #require(shard.loop.detach(key))
      shard.handOver(key, to: 0, DetachedConnection(descriptor: detached.descriptor, leftover: bytes), framing)
      return client
    }
  }

  @Test(arguments: Flood.allCases)
  func `a flood of frames that are no messages waits for later turns, without delaying others`(flood: Flood) throws {
    let bench = try Bench()
    let hello = ClientMessage.hello(Hello(table: "other", tableType: "list?items=3")).framed()
    let other = try bench.connect(sending: hello, .stream)
    while try other.available().isEmpty { try bench.turn() }
    let flooding = try bench.connect(sending: flood.bytes, .webSocket)

    var (pongs, turns) = (0, 0)
    var answers: [ServerMessage] = []
    var rest: [UInt8] = []
    func read() throws {
      rest += flooding.readBytes(waiting: false) ?? []
      let reader = WebSocketFrameReader(isServer: false, payloadBytesMax: 1 << 20)
      try rest.withUnsafeBytes { bytes in
        var position = 0
        while let frame = try reader.next(in: bytes, from: position) {
          position = frame.payload.upperBound
          if frame.opcode == .pong {
            pongs += 1
          } else {
            answers.append(try ServerMessage(decoding: frame.unmasked(bytes)))
          }
        }
        rest = Array(bytes[position...])
      }
    }
    func isAnswered(_ messages: [ServerMessage]) -> Bool {
      messages.contains { if case .pong = $0 { true } else { false } }
    }
    let perTurn = (ServerLimits.tableWorkMax + ServerLimits.turnWorkMax) / HTTPLimits.frameWork + 2

    other.send(.ping(Ping(nonce: 1)))
    var isOtherAnswered = false
    while !isAnswered(answers) {
      try bench.turn()
      turns += 1
      try read()
      // The last turn's frames are not in a client's hands at once.
      #expect(pongs <= (turns + 1) * perTurn, "\(pongs) pongs in \(turns) turns")
      if !isOtherAnswered, isAnswered(try other.available()) {
        isOtherAnswered = true
        #expect(pongs < Flood.frames / 2 && !isAnswered(answers), "the other one is answered after \(turns) turns")
      }
      try #require(turns < 10 * Flood.frames)
    }
    #expect(isOtherAnswered && turns >= Flood.frames / perTurn)
    #expect(pongs == flood.pongs)
  }
}
