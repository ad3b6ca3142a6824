import Synchronization
import Testing

@testable import BaizeTransport

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension TransportTests {
  @Suite struct Threads {
    @Test func `a mailbox wakes its loop only when it was empty`() throws {
      let waker = try Waker()
      let mailbox = Mailbox<Int>(waker: waker)
      for message in 0..<5 { mailbox.send(message) }
      #expect(waker.clear() == 1)
      var drained: [Int] = []
      mailbox.drain(into: &drained)
      #expect(drained == [0, 1, 2, 3, 4])
      #expect(waker.clear() == 0)
      mailbox.send(5)
      #expect(waker.clear() == 1)
      mailbox.drain(into: &drained)
      #expect(drained == [0, 1, 2, 3, 4, 5], "what was there stays in front")
    }

    @Test func `a thread without a loop waits for its waker or the timeout`() throws {
      let waker = try Waker()
      let start = MonotonicClock.now()
      waker.wait(nanoseconds: 20_000_000)
      #expect(MonotonicClock.now() - start >= 20_000_000)
      waker.wake()
      waker.wait()
      #expect(waker.clear() == 0, "the wake-up was taken")
      let thread = try LoopThread(name: "sender") { waker.wake() }
      waker.wait()
      thread.join()
    }

    @Test(arguments: SelectorKind.allCases)
    func `messages of each thread arrive in their order`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let mailbox = Mailbox<(sender: Int, number: Int)>(waker: test.waker)
      var got: [[Int]] = Array(repeating: [], count: 4)
      test.onWoken = {
        var drained: [(sender: Int, number: Int)] = []
        mailbox.drain(into: &drained)
        for message in drained { got[message.sender].append(message.number) }
      }
      let threads = try (0..<4).map { sender in
        try LoopThread(name: "sender \(sender)") {
          for number in 0..<2000 { mailbox.send((sender, number)) }
        }
      }
      try #require(try test.turns(until: { got.allSatisfy { $0.count == 2000 } }))
      for thread in threads { thread.join() }
      #expect(got == Array(repeating: Array(0..<2000), count: 4))
    }

    @Test(arguments: SelectorKind.allCases)
    func `a loop runs in a thread of its own and stops on a message`(_ kind: SelectorKind) throws {
      let waker = try Waker()
      let stop = Mailbox<Void>(waker: waker)
      let ended = Mutex(false)
      let thread = try LoopThread(name: "shard") {
        do {
          let test = try TestLoop(kind, waker: waker)
          test.onWoken = { test.loop.stop() }
          try test.loop.run(test)
          ended.withLock { $0 = true }
        } catch {
          Issue.record(error)
        }
      }
      stop.send(())
      thread.join()
      #expect(ended.withLock { $0 })
      thread.join()
    }

    @Test func `a thread has its name, cut to what fits`() throws {
      let name = Mutex("")
      let thread = try LoopThread(name: "a name that is too long") {
        var text = [CChar](repeating: 0, count: 64)
        _ = readThreadName(pthread_self(), &text, 64)
        name.withLock { $0 = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) } }
      }
      thread.join()
      #expect(name.withLock { $0 } == "a name that is ")
    }

    @Test func `signals are kept for their receiver`() throws {
      let caught = Mutex<[SignalWatch.Signal]>([])
      let thread = try LoopThread(name: "main") {
        do {
          let watch = try SignalWatch()
          for signal in [SIGTERM, SIGINT] {
            pthread_kill(pthread_self(), signal)
            let got = try watch.wait()
            caught.withLock { $0.append(got) }
          }
        } catch {
          Issue.record(error)
        }
      }
      thread.join()
      #expect(caught.withLock { $0 } == [.terminate, .interrupt])
    }
  }
}

#if canImport(Darwin)
  private let readThreadName = pthread_getname_np
#else
  @_silgen_name("pthread_getname_np")
  private func readThreadName(_ thread: pthread_t, _ name: UnsafeMutablePointer<CChar>, _ bytes: Int) -> Int32
#endif
