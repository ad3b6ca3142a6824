import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// One client of one table, usable from any thread.
///
/// The loop's thread delivers events to it and app threads call it. A lock around ``ClientCore`` serialises both, so an
/// operation is visible before the call that submits it returns.
final class SharedClient: HostedClient, Sendable {
  private let core: Mutex<ClientCore>
  private let loop: ClientLoop
  /// The result of the first attempt to join.
  let joined = Promise<Result<Void, JoinError>>()
  /// Resolved when the host has removed the client and closed its connection.
  let removed = Promise<Void>()

  /// The open entry of the session store; `nil` for a client without a store.
  let stored: StoredSession?
  let signedToken: (@Sendable () async throws -> String)?

  init(_ machine: ClientMachine, joinDeadline: Instant, loop: ClientLoop, stored: StoredSession? = nil) {
    core = Mutex(ClientCore(machine, joinDeadline: joinDeadline, stored: stored))
    self.loop = loop
    self.stored = stored
    signedToken = machine.configuration.signedToken
  }

  /// Reads the client's state under the lock. `body` must be brief and must not call this client.
  func read<Value: Sendable>(_ body: (borrowing ClientCore) -> Value) -> Value { core.withLock { body($0) } }

  // MARK: The loop's thread

  func handle(_ event: HostEvent, at now: Instant, into commands: inout [HostCommand]) -> Instant? {
    if case .removed = event {
      finishRemoval()
      return nil
    }
    var deferred = ClientCore.Deferred()
    // `withLock` does not let its closure capture the inout buffer.
    var buffer: [HostCommand] = []
    let deadline = core.withLock { core in
      core.handle(event, at: now, into: &buffer, &deferred)
      return core.nextDeadline
    }
    commands.append(contentsOf: buffer)
    finish(deferred)
    return deadline
  }

  // MARK: Any thread

  func submit(_ kind: TableOperation.Kind, id: OperationID?, sendsRefused: Bool) -> Submission {
    change { core, deferred in core.submit(kind, id: id, sendsRefused: sendsRefused, at: .now, &deferred) }
  }

  func undo(_ submission: Replica.Submission) -> Submission {
    change { core, deferred in core.undo(submission, at: .now, &deferred) }
  }

  func drag(_ drag: Drag) { change { core, deferred in core.drag(drag, at: .now, &deferred) } }

  func setPresence(_ value: [UInt8]) -> Refusal? {
    change { core, deferred in core.setPresence(value, at: .now, &deferred) }
  }

  func send(_ chat: Chat) -> Refusal? { change { core, deferred in core.send(chat, at: .now, &deferred) } }

  func leave() { change { core, deferred in core.leave(at: .now, &deferred) } }

  func close() { change { core, deferred in core.close(at: .now, &deferred) } }

  func reconnectNow() { change { core, deferred in core.reconnectNow(at: .now, &deferred) } }

  func save(_ saved: Promise<Result<Void, SessionStoreError>>) {
    change { core, deferred in core.save(saved, &deferred) }
  }

  private func change<Value: Sendable>(
    _ body: (inout ClientCore, inout ClientCore.Deferred) -> Value
  ) -> Value {
    var deferred = ClientCore.Deferred()
    let value = core.withLock { core in body(&core, &deferred) }
    finish(deferred)
    return value
  }

  /// Resumes the tasks that wait, outside of the lock.
  private func finish(_ deferred: ClientCore.Deferred) {
    if let result = deferred.joined { joined.resolve(result) }
    for (promise, end) in deferred.answers { promise.resolve(end) }
    for reader in deferred.readers { reader.resume() }
    if deferred.wakesHost, !loop.send(.wake(self)) { finishRemoval() }
  }

  private func finishRemoval() {
    stored?.close()
    for promise in core.withLock({ $0.takeSaveWaiters() }) { promise.resolve(.success(())) }
    removed.resolve(())
  }

  // MARK: Feeds

  func addFeed(weightMax: Int) -> UInt64 { core.withLock { $0.addFeed(weightMax: weightMax) } }

  func removeFeed(_ number: UInt64) {
    let waiter = core.withLock { $0.feeds.removeValue(forKey: number)?.waiter }
    waiter?.resume()
  }

  /// Takes the queued events of a feed, together with what `body` reads from the state that follows them.
  ///
  /// - Returns: `nil` at the end of the events.
  func take<Value: Sendable>(
    _ number: UInt64, reading body: ([ClientEvent], borrowing ClientCore) -> Value
  ) -> Value? {
    core.withLock { core -> Value? in
      guard let isOver = core.feeds[number].map({ $0.isEmpty && $0.isFinished }), !isOver else { return nil }
      let events = core.feeds[number]?.takeAll() ?? []
      return body(events, core)
    }
  }

  /// Waits until a feed has events or has ended, or the task is cancelled.
  func waitForEvents(in number: UInt64) async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (waiter: CheckedContinuation<Void, Never>) in
        let previous = core.withLock { core -> CheckedContinuation<Void, Never>? in
          guard let feed = core.feeds[number], feed.isEmpty, !feed.isFinished else { return waiter }
          // A feed has one waiter: a second reader replaces the first, which checks again.
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
  /// The current time on the loop's clock.
  static var now: Instant { Instant(nanoseconds: MonotonicClock.now()) }
}
