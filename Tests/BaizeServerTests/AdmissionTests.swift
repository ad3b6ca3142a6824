import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization
import Testing

@testable import BaizeServer

/// The admission of new connections, without sockets.
@Suite struct AdmissionTests {
  @Test func `connections are counted in total and per address until they are closed`() {
    let limiter = ConnectionLimiter(connectionsMax: 4, perAddressMax: 2)
    let one = SocketAddress(host: .v4(0x0A00_0001), port: 1)
    let other = SocketAddress(host: .v4(0x0A00_0002), port: 1)
    #expect(limiter.admit(one) == .admitted && limiter.admit(one) == .admitted)
    #expect(limiter.admit(one) == .tooManyOfAddress && limiter.admit(one) == .tooManyOfAddress)
    #expect(limiter.sharesExceeded == 1, "it is reported once a minute")
    #expect(limiter.admit(other) == .admitted && limiter.admit(other) == .admitted)
    #expect(limiter.admit(SocketAddress(host: .v4(3), port: 1)) == .tooMany)
    limiter.release(one.host)
    #expect(limiter.admit(one) == .admitted)
  }

  @Test func `an IPv6 address counts as its upper half, and this machine is exempt by default`() {
    let inOneNetwork = (1...3 as ClosedRange<UInt64>).map {
      SocketAddress(host: .v6(high: 7, low: $0, scope: 0), port: 1)
    }
    let strict = ConnectionLimiter(connectionsMax: 10, perAddressMax: 2)
    #expect(inOneNetwork.map { strict.admit($0) } == [.admitted, .admitted, .tooManyOfAddress])
    let lenient = ConnectionLimiter(connectionsMax: 4_000, perAddressMax: nil)
    for _ in 0..<2_000 { #expect(lenient.admit(.loopback(port: 1)) == .admitted) }
    for _ in 0..<ServerLimits.connectionsPerAddressMax { #expect(lenient.admit(inOneNetwork[0]) == .admitted) }
    #expect(lenient.admit(inOneNetwork[1]) == .tooManyOfAddress)
  }

  @Test func `the first frame determines the shard, whatever follows it`() {
    let reader = FrameReader(frameBytesMax: ServerLimits.helloBytesMax)
    let bytes = ClientMessage.hello(Hello(table: "somewhere", tableType: "list")).framed() + [1, 2, 3]
    let home = ShardMachine.shard(ofTable: "somewhere", among: 4)
    for shard in 0..<4 {
      bytes.withUnsafeBytes { bytes in
        switch FirstFrame(bytes, reader, shard: shard, of: 4) {
        case .here(let table): #expect(shard == home && table == "somewhere")
        case .elsewhere(let other, _): #expect(shard != home && other == home)
        case .incomplete, .malformed: Issue.record("not understood on shard \(shard)")
        }
      }
    }
    for count in 0..<(bytes.count - 3) {
      bytes[..<count].withUnsafeBytes { bytes in
        guard case .incomplete = FirstFrame(bytes, reader, shard: 0, of: 4) else {
          Issue.record("\(count) bytes were taken for a frame")
          return
        }
      }
    }
  }

  @Test func `I11: a turn receives a few first frames, and the others wait for later turns in their order`() {
    let limiter = ConnectionLimiter(connectionsMax: 10, perAddressMax: nil)
    var handshakes = Handshakes(limiter, frameBytesMax: WireLimits.frameBytesMax)
    let connections = (0..<10).map { ConnectionKey(slot: $0, generation: 1) }
    let first = connections.filter { handshakes.begin($0) }
    #expect(first == Array(connections.prefix(ServerLimits.hellosPerTurnMax)) && handshakes.hasWaiting)
    var received = first
    while handshakes.hasWaiting {
      let next = handshakes.beginTurn()
      #expect((1...ServerLimits.hellosPerTurnMax).contains(next.count) && next.allSatisfy { handshakes.begin($0) })
      received += next
    }
    #expect(received == connections)
  }

  @Test func `a name cannot write lines of its own into the log`() {
    #expect("Ada \"L\"\n\u{1B}[31m\u{202E}\\".quotedForLog == #""Ada \"L\"\u{a}\u{1b}[31m\u{202e}\\""#)
    #expect(String(repeating: "x", count: 1_000).quotedForLog.count == 202)
    let lines = LogLines()
    let log = Log(.info) { lines.append($0) }
    log(.debug, "below the level")
    log(.info, "at the level")
    #expect(lines.all.count == 1 && lines.all[0].hasSuffix("Z info: at the level\n"))
  }
}
