import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire
import Foundation
import Synchronization

/// A client that pings all the time, on a thread of its own, and measures the longest time without an answer.
final class StallProbe: Sendable {
  private struct State {
    var longest: UInt64 = 0
    /// The time of the ping that has no answer yet.
    var since: UInt64?
    var isAlive = true
  }

  private let state = Mutex(State())
  private let isStopped = Flag()
  private let thread = Mutex<LoopThread?>(nil)

  init(_ address: SocketAddress, table: String) throws {
    let hello = Hello(table: table, tableType: "list?items=10", name: "probe")
    let started = try LoopThread(name: "probe") { [self] in
      do {
        let client = try BlockingClient.joining(address, hello).client
        while !isStopped.isSet {
          try ping(client)
          usleep(500)
        }
      } catch {
        state.withLock { $0.isAlive = false }
      }
    }
    thread.withLock { $0 = started }
  }

  private func ping(_ client: BlockingClient) throws {
    let start = MonotonicClock.now()
    state.withLock { $0.since = start }
    guard try client.ping(start) != nil else { throw RunFailure("no answer") }
    state.withLock {
      $0.longest = max($0.longest, MonotonicClock.now() - start)
      $0.since = nil
    }
  }

  var isAlive: Bool { state.withLock { $0.isAlive } }

  /// Returns the longest stall since the last call, in milliseconds.
  @discardableResult
  func takeStall() -> Double {
    let now = MonotonicClock.now()
    return state.withLock { state in
      let longest = max(exchange(&state.longest, with: 0), state.since.map { now - $0 } ?? 0)
      // A ping that is still without an answer counts for the next phase from now on.
      if state.since != nil { state.since = now }
      return Double(longest) / 1e6
    }
  }

  func stop() {
    isStopped.set()
    thread.withLock { $0.take() }?.join()
  }
}
