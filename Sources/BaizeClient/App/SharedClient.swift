import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// One client's side of one table, for any thread: the loop's carries it, the app's asks it. A lock, held for as long as
/// the machine thinks, is all that stands between them; so an app's operation shows before the call returns.
final class SharedClient: Passenger, Sendable {
  private let core: Mutex<ClientCore>
  private let loop: ClientLoop
  /// Whether the table stands, for the first time.
  let joined = Promise<Result<Void, JoinError>>()
  /// The last word is out, and the connection closed.
  let retired = Promise<Void>()

  init(_ machine: ClientMachine, joinDeadline: Instant, loop: ClientLoop) {
    core = Mutex(ClientCore(machine, joinDeadline: joinDeadline))
    self.loop = loop
  }

  /// Reads what the client holds. The lock is held meanwhile: be brief, and call nothing of this client.
  func read<Value: Sendable>(_ body: (borrowing ClientCore) -> Value) -> Value { core.withLock { body($0) } }

  // MARK: The loop's thread

  func handle(_ happening: Happening, at now: Instant, into commands: inout [WireCommand]) -> Instant? {
    if case .retired = happening {
      retired.resolve(())
      return nil
    }
    var aftermath = ClientCore.Aftermath()
    // The lock lends what it guards to a closure, and the buffer belongs to this thread: it is filled on the way out.
    var wire: [WireCommand] = []
    let deadline = core.withLock { core in
      core.handle(happening, at: now, into: &wire, &aftermath)
      return core.nextDeadline
    }
    commands.append(contentsOf: wire)
    see(to: aftermath)
    return deadline
  }

  // MARK: Any thread

  func submit(_ kind: TableOperation.Kind, sendsRefused: Bool) -> Submission {
    change { core, aftermath in core.submit(kind, sendsRefused: sendsRefused, at: .now, &aftermath) }
  }

  func undo(_ submission: Replica.Submission) -> Submission {
    change { core, aftermath in core.undo(submission, at: .now, &aftermath) }
  }

  func drag(_ drag: Drag) { change { core, aftermath in core.drag(drag, at: .now, &aftermath) } }

  func leave() { change { core, aftermath in core.leave(at: .now, &aftermath) } }

  private func change<Value: Sendable>(
    _ body: (inout ClientCore, inout ClientCore.Aftermath) -> Value
  ) -> Value {
    var aftermath = ClientCore.Aftermath()
    let value = core.withLock { core in body(&core, &aftermath) }
    see(to: aftermath)
    return value
  }

  /// Wakes who waits, outside of the lock.
  private func see(to aftermath: ClientCore.Aftermath) {
    if let result = aftermath.joined { joined.resolve(result) }
    for (promise, answer) in aftermath.answers { promise.resolve(answer) }
    for reader in aftermath.readers { reader.resume() }
    if aftermath.asksHost, !loop.send(.attend(self)) { retired.resolve(()) }
  }

  // MARK: Feeds

  func addFeed(weightMax: Int) -> UInt64 { core.withLock { $0.addFeed(weightMax: weightMax) } }

  func removeFeed(_ number: UInt64) {
    let waiter = core.withLock { $0.feeds.removeValue(forKey: number)?.waiter }
    waiter?.resume()
  }

  /// What waits in a feed, and what `body` reads of the state that it leads to.
  ///
  /// - Returns: `nil` at the end.
  func take<Value: Sendable>(
    _ number: UInt64, reading body: ([ClientEvent], borrowing ClientCore) -> Value
  ) -> Value? {
    core.withLock { core -> Value? in
      guard let isOver = core.feeds[number].map({ $0.isEmpty && $0.isFinished }), !isOver else { return nil }
      let events = core.feeds[number]?.takeAll() ?? []
      return body(events, core)
    }
  }

  /// Waits until there is something in a feed, or it is over, or the task is cancelled.
  func waitForEvents(in number: UInt64) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let previous = core.withLock { core -> CheckedContinuation<Void, Never>? in
          guard let feed = core.feeds[number], feed.isEmpty, !feed.isFinished else { return waiter }
          // A second reader takes the place of the first, who looks again.
          defer { core.feeds[number]?.waiter = waiter }
          return feed.waiter
        }
        previous?.resume()
        if Task.isCancelled { wakeReader(of: number) }
      }
    } onCancel: {
      wakeReader(of: number)
    }
  }

  private func wakeReader(of number: UInt64) {
    let waiter = core.withLock { core -> CheckedContinuation<Void, Never>? in
      defer { core.feeds[number]?.waiter = nil }
      return core.feeds[number]?.waiter
    }
    waiter?.resume()
  }
}

extension Instant {
  /// The present, on the loop's clock.
  static var now: Instant { Instant(nanoseconds: MonotonicClock.now()) }
}
