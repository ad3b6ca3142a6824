import BaizeLaboratory
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Handover {
    /// One shard reads the first frame and passes the connection to the shard of the table.
    @Test(arguments: SelectorKind.allCases)
    func `detaching in received loses nothing`(_ kind: SelectorKind) throws {
      let first = try TestLoop(kind)
      let second = try TestLoop(kind)
      var detached: DetachedConnection?
      first.onReceived = { key, bytes in
        first.send(key, [77])
        detached = first.loop.detach(key, consuming: 4)
        return 0
      }
      let (key, peer) = try first.acceptPeer()
      peer.write([0, 1, 2, 3, 4, 5])
      try #require(try first.turns(until: { detached != nil }))
      let moved = try #require(detached)
      #expect(moved.leftover == [4, 5] && moved.unsent == [77])
      #expect(first.loop.connectionCount == 0)
      peer.write([6])

      second.onReceived = { $1.count - 1 }
      var newKey: ConnectionKey?
      second.onWoken = { newKey = try? second.loop.adopt(moved) }
      second.waker.wake()
      try second.loop.turn(second, timeout: 0)
      let adopted = try #require(newKey)
      #expect(second.received(from: adopted) == [[4, 5]], "at once, in the turn of the adoption")
      #expect(peer.read(exactly: 1) == [77])
      try #require(try second.turns(until: { second.received(from: adopted).count == 2 }))
      #expect(second.received(from: adopted)[1] == [5, 6])
      #expect(try first.becomesQuiet())
      #expect(
        first.events == [.accepted(key), .received(key, [0, 1, 2, 3, 4, 5])], "no closed for what was handed over")
    }

    @Test(arguments: SelectorKind.allCases)
    func `detaching between turns includes the leftover`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.onReceived = { _, _ in 1 }
      let (key, peer) = try test.adoptPeer()
      peer.write([1, 2, 3])
      try #require(try test.turns(until: { !test.events.isEmpty }))
      let detached = try #require(test.loop.detach(key))
      #expect(detached.leftover == [2, 3])
      #expect(test.loop.detach(key) == nil)
      let again = try test.loop.adopt(detached)
      #expect(again != key)
      peer.write([4])
      try #require(try test.turns(until: { test.received(from: again).count == 2 }))
      // The loop asks the selector first: the new byte may or may not be presented with the leftover.
      #expect(test.received(from: again).last?.last == 4 && test.received(from: again)[0].starts(with: [2, 3]))
    }

    /// A stream that is passed back and forth between two loops arrives complete and in order.
    @Test(arguments: SelectorKind.allCases, 1...5 as ClosedRange<UInt64>)
    func `a stream survives any number of handovers`(_ kind: SelectorKind, _ seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let loops = [try TestLoop(kind), try TestLoop(kind)]
      let sent = pattern(200_000)
      var got: [UInt8] = []
      var travelling: DetachedConnection?
      for test in loops {
        test.onReceived = { key, bytes in
          let consumed = Int.random(in: 0...bytes.count, using: &generator)
          got += bytes[..<consumed]
          guard Bool.random(using: &generator) else { return consumed }
          travelling = test.loop.detach(key, consuming: consumed)
          return 0
        }
      }
      let (descriptor, peer) = try TestPeer.pair()
      travelling = DetachedConnection(descriptor: descriptor)
      var rest = sent[...]
      var turn = 0
      while got.count < sent.count, turn < 100_000 {
        turn += 1
        if let moving = travelling {
          travelling = nil
          _ = try loops[turn % 2].loop.adopt(moving)
        }
        let chunk = Int.random(in: 0...4000, using: &generator)
        peer.write(Array(rest.prefix(rest.isEmpty ? 0 : chunk)))
        rest = rest.dropFirst(chunk)
        // Padding behind the last byte, so that a handler that left some bytes is called again.
        if rest.isEmpty { peer.write([0]) }
        for test in loops { try test.loop.turn(test, timeout: 0) }
      }
      let isSame = got.prefix(sent.count) == sent[...]
      #expect(isSame, "seed \(seed)")
    }
  }
}
