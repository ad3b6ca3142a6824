import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Sharing {
    /// I8: what is sent to many who do not read is kept once.
    @Test(arguments: SelectorKind.allCases)
    func `connections that are blocked share the bytes that all of them are lent`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let pairs = try (0..<20).map { _ in try test.acceptPeer(receiveBufferBytes: 65536) }
      var expected: [UInt8] = []
      var all = 0
      for round in 0..<4 {
        let bytes = Array(pattern((2 << 20) + 4)[round...].prefix(2 << 20))
        expected += bytes
        all += bytes.count
        bytes.withUnsafeBytes { bytes in
          test.loop.withLending { for (key, _) in pairs { test.loop.lend(key, bytes) } }
        }
        // A few bytes that only this connection gets.
        test.send(pairs[round].0, [UInt8(round)])
      }
      for (key, _) in pairs { #expect(test.loop.pendingBytes(key) > all / 2) }
      #expect(test.loop.queueMemoryBytes < all + pairs.count * (64 << 10), "\(test.loop.queueMemoryBytes) bytes")

      for (number, (_, peer)) in pairs.enumerated() {
        var own = expected
        if number < 4 { own.insert(UInt8(number), at: (number + 1) * (2 << 20)) }
        try test.turns(until: peer, reads: own)
      }
      for (key, _) in pairs { #expect(test.loop.pendingBytes(key) == 0) }
      #expect(test.loop.queueMemoryBytes == test.loop.pool.heldBytes, "\(test.loop.queueMemoryBytes) bytes")
    }

    /// The oracle is an array.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func `a queue of own, shared and lent bytes sends them in order`(_ seed: UInt64) throws {
      var generator = SeededGenerator(seed: seed)
      let test = try TestLoop(.platformDefault)
      let (key, peer) = try test.acceptPeer(receiveBufferBytes: 16384)
      let all = pattern(200_256)
      var (sent, got): ([UInt8], [UInt8]) = ([], [])
      for step in 0..<200 {
        let count = Int.random(in: 1...(step % 5 == 0 ? 200_000 : 3_000), using: &generator)
        let bytes = Array(all[(step % 256)...].prefix(count))
        sent += bytes
        bytes.withUnsafeBytes { bytes in
          guard step % 3 > 0 else { return _ = test.loop.append(key, bytes) }
          test.loop.withLending {
            let middle = step % 2 == 0 ? 0 : bytes.count / 2
            test.loop.lend(key, UnsafeRawBufferPointer(rebasing: bytes[..<middle]))
            // Not contiguous with the first half if it is copied.
            test.loop.lend(key, UnsafeRawBufferPointer(rebasing: bytes[middle...]))
          }
        }
        if step % 7 == 0 { _ = peer.take(into: &got) }
        try test.loop.turn(test, timeout: 0)
      }
      try test.turns(until: peer, reads: sent, after: got)
      #expect(test.loop.pendingBytes(key) == 0 && test.loop.queueMemoryBytes == test.loop.pool.heldBytes)
    }

    @Test func `a connection with too long a queue is closed`() throws {
      let test = try TestLoop(.platformDefault, queuedBytesMax: 3 << 20)
      let (key, _) = try test.acceptPeer(receiveBufferBytes: 65536)
      for _ in 0..<4 {
        let bytes = pattern(2 << 20)
        bytes.withUnsafeBytes { bytes in test.loop.withLending { _ = test.loop.lend(key, bytes) } }
      }
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      guard case .closed(key, .queueTooLong(let bytes)) = test.closings[0] else {
        Issue.record("\(test.closings)")
        return
      }
      #expect(bytes > 3 << 20 && test.loop.queueMemoryBytes == test.loop.pool.heldBytes)
    }
  }
}
