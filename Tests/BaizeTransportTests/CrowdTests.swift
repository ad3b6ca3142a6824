import BaizeDriver
import BaizeLaboratory
import Testing

@testable import BaizeTransport

extension TransportTests {
  /// Many new or ended connections are handled in portions, so that a turn stays short for the others.
  @Suite struct Crowds {
    @Test(arguments: SelectorKind.allCases)
    func `a turn accepts some connections, the next one continues`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let port = try test.listenOnLoopback()
      let peers = try (0..<3 * TransportLimits.acceptsPerTurn).map { _ in try TestPeer(port: port) }
      for turn in 1...3 {
        try test.loop.turn(test, timeout: HangGuard.nanoseconds)
        #expect(test.peers.count == turn * TransportLimits.acceptsPerTurn)
      }
      withExtendedLifetime(peers) {}
    }

    @Test(arguments: SelectorKind.allCases)
    func `a turn cleans up after some ended connections, the next one continues`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let count = 2 * TransportLimits.endedConnectionsPerTurn + 1
      var peers: [TestPeer] = []
      for _ in 0..<count {
        let (descriptor, peer) = try TestPeer.pair()
        _ = try test.adopt(descriptor)
        peers.append(peer)
      }
      let (key, other) = try test.adoptPeer()
      peers.removeAll()
      other.write([7])
      try test.loop.turn(test, timeout: HangGuard.nanoseconds)
      #expect(test.closings.count == TransportLimits.endedConnectionsPerTurn)
      #expect(test.received(from: key) == [[7]], "the others are read in the same turn")
      #expect(test.loop.connectionCount == count + 1 - TransportLimits.endedConnectionsPerTurn)
      #expect(try test.turns(until: { test.closings.count == count }))
      #expect(test.loop.connectionCount == 1)
    }

    /// Others do not wait until a thousand spectators have their bytes, and each of these has them at some time.
    @Test(arguments: SelectorKind.allCases)
    func `a turn writes some connections: small audiences first, and those that have waited longest`(
      _ kind: SelectorKind
    ) throws {
      let test = try TestLoop(kind)
      test.loop.writesPerTurn = 4
      let crowd = try (0..<11).map { _ in try test.adoptPeer() }
      let (quiet, quietPeer) = try test.adoptPeer()
      let (urgent, urgentPeer) = try test.adoptPeer()
      var turn: UInt8 = 0
      test.onTurnEnded = {
        turn += 1
        guard turn <= 3 else { return }
        withUnsafeBytes(of: turn) { bytes in
          test.loop.withLending {
            for (key, _) in crowd { test.loop.lend(key, bytes, audience: crowd.count) }
            test.loop.lend(quiet, bytes, audience: 2)
          }
        }
        test.send(urgent, [turn])
      }
      var got: [[UInt8]] = crowd.map { _ in [] }
      for round in 1...12 as ClosedRange<UInt8> {
        try test.loop.turn(test, timeout: 1)
        let before = got
        for (index, (_, peer)) in crowd.enumerated() { _ = peer.take(into: &got[index]) }
        let written = zip(before, got).count { $0 != $1 }
        if round <= 3 {
          #expect(quietPeer.read(waiting: false) == [round], "turn \(round)")
          // Two of the crowd, and the two others.
          #expect(written == 2 && got.filter { !$0.isEmpty }.count == 2 * Int(round), "turn \(round): \(got)")
        } else {
          #expect(written <= 4)
        }
      }
      #expect(got.allSatisfy { $0 == [1, 2, 3] }, "\(got)")
      #expect(urgentPeer.read(exactly: 3) == [1, 2, 3])
      #expect(try test.becomesQuiet(), "nothing is left to write")
    }

    /// Unsent bytes are counted, so they must not disappear into the kernel's buffers.
    @Test(arguments: SelectorKind.allCases)
    func `the kernel buffers little for a peer that does not read`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer(receiveBufferBytes: 4096)
      let sent = pattern(4 << 20)
      test.send(key, sent)
      #expect(try test.becomesQuiet())
      let taken = try #require(test.loop.takenBytes(key))
      #expect(taken > 0 && taken + UInt64(test.loop.pendingBytes(key)) == UInt64(sent.count))
      #expect(test.loop.pendingBytes(key) > 3 << 20, "\(taken) bytes are with the kernel")
      withExtendedLifetime(peer) {}
    }
  }
}
