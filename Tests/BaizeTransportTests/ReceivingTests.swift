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
      #expect(test.peers == [.loopback(port: peer.port)])
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

    /// I11: three connections fill a turn.
    @Test(arguments: SelectorKind.allCases)
    func `a turn reads a bounded number of bytes, and those that had to wait are read first in the next`(
      _ kind: SelectorKind
    ) throws {
      let test = try TestLoop(kind)
      test.loop.readBytesPerTurn = 1_000
      let peers = try (0..<5).map { _ in try test.adoptPeer() }
      var turns: [[ConnectionKey]] = []
      for _ in 1...3 {
        for (_, peer) in peers { peer.write(pattern(400)) }
        let before = test.events.count
        try test.loop.turn(test, timeout: 0)
        turns.append(test.events[before...].compactMap { if case .received(let key, _) = $0 { key } else { nil } })
      }
      let keys = Set(peers.map(\.0))
      #expect(turns[0].count == 3)
      #expect(turns[1].count == 2 && Set(turns[1]) == keys.subtracting(turns[0]), "they have twice as much by now")
      #expect(turns[2].count == 2 && Set(turns[2]).isSubset(of: turns[0]))
      try #require(
        try test.turns(until: {
          peers.allSatisfy { key, _ in test.received(from: key).reduce(0) { $0 + $1.count } == 1_200 }
        }))
      #expect(try test.turns(forMilliseconds: 20) < 5, "none is left in the queue")
    }

    @Test(arguments: SelectorKind.allCases)
    func `a connection that is paused or closed while it waits to be read is not read`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.loop.readBytesPerTurn = 1
      let peers = try (0..<4).map { _ in try test.adoptPeer() }
      for (_, peer) in peers { peer.write([1, 2, 3]) }
      try test.loop.turn(test, timeout: 0)
      let waiting = peers.map(\.0).filter { test.received(from: $0).isEmpty }
      #expect(waiting.count == 3)
      test.loop.pauseReading(waiting[0])
      test.loop.close(waiting[1])
      try #require(try test.turns(until: { !test.received(from: waiting[2]).isEmpty && !test.closings.isEmpty }))
      #expect(test.received(from: waiting[0]).isEmpty && test.received(from: waiting[1]).isEmpty)
      test.loop.resumeReading(waiting[0])
      try #require(try test.turns(until: { !test.received(from: waiting[0]).isEmpty }))
      #expect(test.received(from: waiting[0]) == [[1, 2, 3]])
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
      #expect(try test.turns(forMilliseconds: 50) < 5, "a paused connection must not keep the loop busy")
      #expect(test.received(from: key) == [pattern(100)])
      test.onReceived = { $1.count }
      test.loop.resumeReading(key)
      try test.loop.turn(test, timeout: 1_900_000_000)
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
      #expect(try test.turns(forMilliseconds: 50) < 5, "the hang-up must not keep the loop busy")
      #expect(test.events.isEmpty)
      test.loop.resumeReading(key)
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.events == [.received(key, [1, 2, 3]), .closed(key, .peerClosed)])
    }
  }
}
