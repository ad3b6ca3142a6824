import BaizeDriver
import BaizeLaboratory
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Receiving {
    @Test(arguments: SelectorKind.allCases)
    func `bytes received over TCP are sent back`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.onReceived = {
        test.loop.append($0, $1)
        return $1.count
      }
      let (key, peer) = try test.acceptPeer()
      #expect(test.peers == [.loopback(port: BlockingSocket.port(of: peer.descriptor))])
      var generator = SeededGenerator(seed: 1)
      for round in 0..<50 {
        let bytes = (0..<Int.random(in: 1...60_000, using: &generator)).map { _ in UInt8(truncatingIfNeeded: round) }
        peer.write(bytes)
        try test.turns(until: peer, reads: bytes)
      }
      #expect(test.loop.pendingBytes(key) == 0)
    }

    @Test(arguments: SelectorKind.allCases)
    func `a partial frame is kept and presented again with the rest`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.onReceived = { $1.count / 5 * 5 }
      let (key, peer) = try test.adoptPeer()
      for chunk in [[1, 2, 3], [4], [5, 6, 7, 8, 9, 10, 11], [12, 13, 14, 15], [16]] as [[UInt8]] {
        let before = test.events.count
        peer.write(chunk)
        try #require(try test.turns(until: { test.events.count > before }))
      }
      #expect(
        test.received(from: key) == [
          [1, 2, 3], [1, 2, 3, 4], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], [11, 12, 13, 14, 15], [16],
        ])
    }

    /// Both ways of keeping a leftover: in front of the read buffer, and, when it is long, in a buffer of its own.
    @Test(arguments: SelectorKind.allCases, [100, 16_384, 16_385, 300_000])
    func `a frame in small pieces arrives complete`(_ kind: SelectorKind, _ frameBytes: Int) throws {
      let test = try TestLoop(kind)
      var frames: [[UInt8]] = []
      test.onReceived = { _, bytes in
        var consumed = 0
        while bytes.count - consumed >= frameBytes {
          frames.append(Array(bytes[consumed..<consumed + frameBytes]))
          consumed += frameBytes
        }
        return consumed
      }
      let (key, peer) = try test.adoptPeer()
      let wanted = (0..<3).map { round in pattern(frameBytes).map { $0 &+ UInt8(round) } }
      var rest = wanted.flatMap { $0 }[...]
      let crumb = frameBytes / 7 + 1
      while !rest.isEmpty {
        let before = test.events.count
        peer.write(Array(rest.prefix(crumb)))
        rest = rest.dropFirst(crumb)
        try #require(try test.turns(until: { test.events.count > before }))
      }
      let isSame = frames == wanted
      #expect(isSame)
      #expect(test.loop.connections.find(key)?.pointee.leftover.capacity == 0, "an idle connection holds no buffer")
    }

    @Test(arguments: SelectorKind.allCases)
    func `a leftover beyond the limit closes the connection`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind, leftoverBytesMax: 1000)
      test.onReceived = { _, _ in 0 }
      let (key, peer) = try test.adoptPeer()
      peer.write(pattern(1000))
      try #require(try test.turns(until: { test.received(from: key).count == 1 }))
      #expect(test.closings.isEmpty)
      peer.write([1])
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.closings == [.closed(key, .leftoverTooLong(bytes: 1001))])
      #expect(peer.read() == [])
    }

    @Test(arguments: SelectorKind.allCases)
    func `a flooding peer is read once per turn, so that others are read too`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (flooded, flooder) = try test.acceptPeer()
      let (other, quiet) = try test.acceptPeer()
      flooder.write(pattern(TransportLimits.readBytes * 2))
      quiet.write([7])
      try #require(try test.turns(until: { test.received(from: other) == [[7]] }))
      #expect(test.received(from: flooded).count <= test.turns.count)
      #expect(test.received(from: flooded).allSatisfy { $0.count <= TransportLimits.readBytes })
    }

    /// I11.
    @Test(arguments: SelectorKind.allCases)
    func `a turn reads a bounded number of bytes, in equal parts from all that are ready`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.loop.readBytesPerTurn = 1_000
      let flooding = try (0..<4).map { _ in try test.adoptPeer() }
      let (quiet, peer) = try test.adoptPeer()
      for (_, peer) in flooding { peer.write(pattern(1_000)) }
      peer.write([7])
      try test.loop.turn(test, timeout: 0)
      #expect(test.received(from: quiet) == [[7]])
      #expect(flooding.allSatisfy { key, _ in test.received(from: key).map(\.count) == [200] })
      try test.loop.turn(test, timeout: 0)
      #expect(flooding.allSatisfy { key, _ in test.received(from: key).map(\.count) == [200, 250] })
      try #require(
        try test.turns(until: {
          flooding.allSatisfy { key, _ in test.received(from: key).joined().count == 1_000 }
        }))
      #expect(flooding.allSatisfy { key, _ in Array(test.received(from: key).joined()) == pattern(1_000) })
      let perConnection = TransportLimits.readBytesPerTurn / TransportLimits.eventsPerTurn
      #expect(perConnection >= TransportLimits.leftoverHeadroomBytes, "enough for a large frame in a few reads")
    }

    @Test(arguments: SelectorKind.allCases)
    func `a paused connection is not read, and resuming presents the leftover at once`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind, leftoverBytesMax: 10)
      let (key, peer) = try test.adoptPeer()
      test.onReceived = { key, bytes in
        test.loop.pauseReading(key)
        return 1
      }
      peer.write(pattern(100))
      try #require(try test.turns(until: { !test.events.isEmpty }))
      test.onReceived = { _, _ in
        Issue.record("read while paused")
        return 0
      }
      #expect(try test.becomesQuiet(), "a paused connection must not keep the loop busy")
      #expect(test.received(from: key) == [pattern(100)])
      test.onReceived = { $1.count }
      test.loop.resumeReading(key)
      try test.loop.turn(test, timeout: HangGuard.nanoseconds)
      #expect(test.received(from: key)[1...] == [Array(pattern(100)[1...])])
      peer.write([0])
      try #require(try test.turns(until: { test.received(from: key).count == 3 }))
      #expect(test.received(from: key)[2] == [0])
      #expect(test.closings.isEmpty, "the limit does not count what the handler let wait")
    }

    @Test(arguments: SelectorKind.allCases)
    func `a peer that closes while reading is paused loses none of its bytes`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer()
      test.loop.pauseReading(key)
      peer.write([1, 2, 3])
      peer.close()
      #expect(try test.becomesQuiet(), "the hang-up must not keep the loop busy")
      #expect(test.events.isEmpty)
      test.loop.resumeReading(key)
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.events == [.received(key, [1, 2, 3]), .closed(key, .peerClosed)])
    }
  }
}
