import BaizeDriver
import BaizeLaboratory
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Turns {
    @Test(arguments: SelectorKind.allCases)
    func `a turn is made at the handler's deadline, not before`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let deadline = MonotonicClock.now() + 30_500_000
      test.nextDeadline = deadline
      try test.loop.turn(test, timeout: HangGuard.nanoseconds)
      #expect(test.turns.count == 1)
      #expect(test.turns[0] >= deadline && test.turns[0] < deadline + HangGuard.nanoseconds / 2)
    }

    @Test(arguments: SelectorKind.allCases)
    func `run ends in time, and stop ends it at once`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let start = MonotonicClock.now()
      try test.loop.run(test, until: start + 30_000_000)
      #expect(MonotonicClock.now() - start >= 30_000_000)
      test.onTurnEnded = { test.loop.stop() }
      test.waker.wake()
      try test.loop.run(test)
      #expect(test.events == [.woken])
    }

    @Test(arguments: SelectorKind.allCases)
    func `wake-ups before a turn are delivered as one`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      for _ in 0..<3 { test.waker.wake() }
      try test.loop.turn(test, timeout: 0)
      try test.loop.turn(test, timeout: 0)
      #expect(test.events == [.woken])
    }

    @Test(arguments: SelectorKind.allCases)
    func `bytes queued between turns do not wait for the timeout`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let (key, peer) = try test.adoptPeer()
      test.send(key, [1])
      let start = MonotonicClock.now()
      try test.loop.turn(test, timeout: HangGuard.nanoseconds)
      #expect(MonotonicClock.now() - start < HangGuard.nanoseconds)
      #expect(peer.read() == [1])
    }
  }
}
