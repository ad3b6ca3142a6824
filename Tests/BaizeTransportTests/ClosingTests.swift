import BaizeDriver
import BaizeLaboratory
import Foundation
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Closing {
    @Test(arguments: SelectorKind.allCases)
    func `the end of a peer is reported once`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer()
      peer.write([1])
      peer.close()
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      try test.settle()
      #expect(test.events == [.accepted(key), .received(key, [1]), .closed(key, .peerClosed)])
      #expect(test.loop.connectionCount == 0)
    }

    @Test(arguments: SelectorKind.allCases, [false, true])
    func `a reset is reported once, whether reading is paused or not`(_ kind: SelectorKind, _ paused: Bool) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer()
      if paused { test.loop.pauseReading(key) }
      peer.reset()
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      try test.settle()
      #expect(test.closings == [.closed(key, .failed(SystemError(call: "recv", errno: ECONNRESET)))])
    }

    @Test(arguments: SelectorKind.allCases)
    func `writing to a closed connection reports its end once and raises no signal`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer()
      peer.close()
      test.loop.pauseReading(key)
      test.send(key, [1])
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.closings == [.closed(key, .failed(SystemError(call: "send", errno: EPIPE)))])
    }

    @Test(arguments: SelectorKind.allCases)
    func `closing in a callback drops the events of the same turn`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (one, onePeer) = try TestPeer.pair()
      let (two, twoPeer) = try TestPeer.pair()
      let keys = [try test.adopt(one), try test.adopt(two)]
      test.onReceived = { _, bytes in
        for key in keys { test.loop.close(key) }
        #expect(test.closings.isEmpty, "no callback from within a call")
        return bytes.count
      }
      onePeer.write([1])
      twoPeer.write([2])
      try #require(try test.turns(until: { test.closings.count == 2 }))
      try test.settle()
      #expect(test.events.count == 3, "one received and two closed: \(test.events)")
      #expect(test.closings.contains(.closed(keys[0], .requested)))
      #expect(test.closings.contains(.closed(keys[1], .requested)))
    }

    /// In a process of its own, in which no other test takes the descriptor's number.
    @Test func `a stale event does not affect the next connection with the same descriptor`() async {
      await #expect(processExitsWith: .success) {
        for kind in SelectorKind.allCases { try reuseDescriptorInTurn(kind) }
      }
    }

    /// There is unread input: a plain close would cause a reset, which discards the last bytes.
    @Test(arguments: SelectorKind.allCases)
    func `closing after the flush delivers every byte`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer()
      test.loop.pauseReading(key)
      peer.write(pattern(20_000))
      let sent = pattern(6 << 20)
      test.send(key, sent)
      test.loop.close(key, afterFlush: true)
      test.send(key, [1, 2, 3])
      var got: [UInt8] = []
      var ended = false
      try #require(
        try test.turns(until: {
          ended = ended || peer.take(into: &got)
          return ended
        }))
      let isSame = got == sent
      #expect(isSame, "\(got.count) of \(sent.count) bytes")
      #expect(test.closings.isEmpty, "it waits for the peer to end too")
      peer.close()
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.events == [.accepted(key), .closed(key, .requested)])
    }

    @Test(arguments: SelectorKind.allCases)
    func `closing after the flush has a timeout`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      test.loop.closing.timeoutNanoseconds = 60_000_000
      let (stuck, stuckPeer) = try test.acceptPeer(receiveBufferBytes: 8192)
      let (idle, idlePeer) = try test.acceptPeer()
      test.send(stuck, pattern(8 << 20))
      let start = MonotonicClock.now()
      test.loop.close(stuck, afterFlush: true)
      test.loop.close(idle, afterFlush: true)
      try #require(try test.turns(until: { test.closings.count == 2 }))
      #expect(MonotonicClock.now() - start >= 60_000_000)
      guard case .closed(stuck, .flushTimedOut(let unsent)) = test.closings[0] else {
        Issue.record("\(test.closings)")
        return
      }
      #expect(unsent > 0)
      #expect(test.closings[1] == .closed(idle, .requested))
      withExtendedLifetime((stuckPeer, idlePeer)) {}
    }

    @Test(arguments: SelectorKind.allCases)
    func `a peer that ended only its own side still receives the response`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.acceptPeer()
      let answer = pattern(6 << 20)
      test.onReceived = { key, bytes in
        test.send(key, answer)
        return bytes.count
      }
      peer.write([1])
      peer.endSending()
      try test.turns(until: peer, reads: answer)
      try #require(try test.turns(until: { !test.closings.isEmpty }))
      #expect(test.closings == [.closed(key, .peerClosed)])
    }
  }
}

/// The first of two ready connections closes the second and adopts a new one. The event of the old one is a reset,
/// which must not affect the new one. The new one has another slot and descriptor: both are reserved until the handler
/// has received `closed`, so that a handler with a table by slots never has two connections in one.
private func reuseDescriptorInTurn(_ kind: SelectorKind) throws {
  let test = try TestLoop(kind)
  let (first, firstPeer) = try TestPeer.pair()
  let (old, oldPeer) = try TestPeer.pair()
  let (fresh, freshPeer) = try TestPeer.pair()
  let firstKey = try test.adopt(first)
  let oldKey = try test.adopt(old)
  var freshKey: ConnectionKey?
  test.onReceived = { _, bytes in
    guard freshKey == nil else { return bytes.count }
    test.loop.close(oldKey)
    let reused = dup(fresh)
    #expect(reused != old, "the kernel gives the lowest number, and the old one is not closed")
    freshKey = try? test.adopt(reused)
    return bytes.count
  }
  // Closing with unread bytes makes a Unix socket report an error to the other end; the new connection has bytes to
  // read, so that a read for the stale event would be noticed.
  firstPeer.write([1])
  freshPeer.write([3])
  oldPeer.close()
  try test.loop.turn(test, timeout: HangGuard.nanoseconds)
  let key = try #require(freshKey)
  #expect(key.slot != oldKey.slot)
  #expect(test.events == [.received(firstKey, [1]), .closed(oldKey, .requested)])
  try #require(try test.turns(until: { test.received(from: key) == [[3]] }))
}
