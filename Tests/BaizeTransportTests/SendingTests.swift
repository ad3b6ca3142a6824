import BaizeLaboratory
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Sending {
    /// A packet socket shows how many writes there were.
    @Test(arguments: SelectorKind.allCases)
    func `all bytes queued in a turn are sent in one write`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer(packetSocket)
      test.onReceived = { key, bytes in
        for byte in bytes { test.send(key, [byte]) }
        return bytes.count
      }
      test.onTurnEnded = { if test.received(from: key).count == 1 { test.send(key, [99]) } }
      peer.write([1, 2, 3])
      try #require(try test.turns(until: { !test.events.isEmpty }))
      #expect(peer.read() == [1, 2, 3, 99])
      #expect(peer.read(waiting: false) == nil)
    }

    @Test(arguments: SelectorKind.allCases)
    func `the queue grows while a peer does not read, and drained is called when it does`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer(receiveBufferBytes: 65536)
      let sent = pattern(8 << 20)
      test.send(key, sent)
      #expect(try test.becomesQuiet(), "a blocked connection must not keep the loop busy")
      #expect(test.loop.pendingBytes(key) > 1 << 20)
      #expect(test.events.count == 1, "nothing but the accept: \(test.events.dropFirst())")

      test.loop.setDrainMark(key, bytes: 1 << 20)
      var got: [UInt8] = []
      try #require(
        try test.turns(until: {
          if let more = peer.read(waiting: false) { got += more }
          return test.events.count > 1
        }))
      guard case .drained(key, let pending)? = test.events.last else {
        Issue.record("not drained: \(test.events)")
        return
      }
      #expect(pending <= 1 << 20)
      #expect(got.count < sent.count)
      try test.turns(until: peer, reads: sent, after: got)
      #expect(test.loop.pendingBytes(key) == 0)
      #expect(test.events.count == 2, "drained once each time it backed up")
    }

    @Test(arguments: SelectorKind.allCases)
    func `a handler that requests drained is called even if the kernel accepted everything`(
      _ kind: SelectorKind
    ) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer()
      var rounds = 0
      test.onDrained = { key, _ in
        rounds += 1
        guard rounds < 5 else { return }
        test.send(key, [UInt8(rounds)])
        test.loop.setDrainMark(key, bytes: 0)
      }
      test.loop.setDrainMark(key, bytes: 0)
      try #require(try test.turns(until: { rounds == 5 }))
      #expect(peer.read(exactly: 4) == [1, 2, 3, 4])
    }

    /// A packet socket shows how many writes there were.
    @Test(arguments: SelectorKind.allCases)
    func `lent bytes are sent in one write per connection, and not copied where they are contiguous`(
      _ kind: SelectorKind
    ) throws {
      let test = try TestLoop(kind)
      let pairs = try (0..<3).map { _ in try TestPeer.pair(packetSocket) }
      let keys = try pairs.map { try test.adopt($0.0) }
      let bytes = pattern(3000)
      test.send(keys[2], [1])
      bytes.withUnsafeBytes { bytes in
        let frames = [0, 1000, 2000].map { UnsafeRawBufferPointer(rebasing: bytes[$0..<$0 + 1000]) }
        test.loop.withLending {
          for frame in frames { test.loop.lend(keys[0], frame) }
          #expect(test.loop.pendingBytes(keys[0]) == 3000)
          test.loop.lend(keys[1], frames[0])
          test.loop.lend(keys[1], frames[2])
          for frame in frames { test.loop.lend(keys[2], frame) }
        }
      }
      #expect(pairs[0].1.read() == bytes)
      #expect(pairs[1].1.read() == Array(bytes[..<1000] + bytes[2000...]))
      #expect(pairs[2].1.read() == [1] + bytes)
      for (_, peer) in pairs { #expect(peer.read(waiting: false) == nil) }
      for key in keys { #expect(test.loop.pendingBytes(key) == 0) }

      // What is copied takes a buffer of the pool.
      let copied = test.loop.pool.heldBytes
      bytes.withUnsafeBytes { bytes in test.loop.withLending { test.loop.lend(keys[0], bytes) } }
      #expect(pairs[0].1.read() == bytes)
      #expect(test.loop.pool.heldBytes == copied)
    }

    @Test(arguments: SelectorKind.allCases)
    func `lent bytes that the kernel does not accept are copied`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer(receiveBufferBytes: 65536)
      let expected = pattern(16 << 20)
      for half in [expected[..<(8 << 20)], expected[(8 << 20)...]] {
        // The second half meets a blocked connection.
        var lent = Array(half)
        lent.withUnsafeBytes { bytes in test.loop.withLending { test.loop.lend(key, bytes) } }
        for index in lent.indices { lent[index] = 0 }
        #expect(test.loop.pendingBytes(key) > 1 << 20)
      }
      try test.turns(until: peer, reads: expected)
      #expect(try test.turns { test.events.count > 1 })
      #expect(test.events.dropFirst() == [.drained(key, 0)])
    }

    @Test(arguments: SelectorKind.allCases)
    func `bytes lent to a closing or connecting connection are sent`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (closing, peer) = try test.adoptPeer()
      let port = try test.listenOnLoopback()
      let connecting = try test.loop.connect(to: .loopback(port: port))
      let bytes = pattern(100)
      bytes.withUnsafeBytes { bytes in
        test.loop.withLending {
          test.loop.lend(closing, bytes)
          test.loop.close(closing, afterFlush: true)
          #expect(test.loop.lend(closing, bytes) == 0)
          test.loop.lend(connecting, bytes)
        }
      }
      #expect(peer.read(exactly: 100) == bytes)
      try #require(try test.turns(until: { test.events.contains { if case .received = $0 { true } else { false } } }))
      #expect(test.events.contains { if case .received(_, bytes) = $0 { true } else { false } })
    }

    @Test(arguments: SelectorKind.allCases)
    func `an idle connection holds no buffer`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer()
      test.send(key, pattern(5000))
      #expect(test.loop.pool.heldBytes == 0)
      try test.loop.turn(test, timeout: 0)
      #expect(peer.read(exactly: 5000) == pattern(5000))
      #expect(test.loop.pool.heldBytes == 8192, "the buffer is back in the pool")
      #expect(
        MemoryLayout<ConnectionSlot>.stride <= 128 + MemoryLayout<TLSSession?>.size,
        "\(MemoryLayout<ConnectionSlot>.stride) bytes a connection")
    }

    @Test(arguments: SelectorKind.allCases)
    func `the key of an ended connection is ignored`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (gone, peer) = try test.adoptPeer()
      test.loop.close(gone)
      try test.loop.turn(test, timeout: 0)
      let (key, other) = try test.adoptPeer()
      #expect(key.slot == gone.slot && key.generation != gone.generation)
      test.send(gone, [1])
      test.loop.close(gone)
      test.loop.pauseReading(gone)
      #expect(test.loop.detach(gone) == nil)
      other.write([5])
      try #require(try test.turns(until: { test.events.count == 2 }))
      #expect(test.events.contains(.closed(gone, .requested)) && test.events.contains(.received(key, [5])))
      #expect(peer.read() == [])
      #expect(other.read(waiting: false) == nil)
    }
  }
}
