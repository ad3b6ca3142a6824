public import BaizeSync
import BaizeTransport

// The session store, and the offline queue.
extension TableClient {
  /// Returns what became of an operation, also of one that an earlier process submitted with the same session store.
  ///
  /// - Parameter id: The operation's id.
  /// - Returns: The status, with the ids that this client's items have; `nil` if no such operation was submitted, if the process
  ///   ended before the store had it, so that it was never sent, or if more than `ClientLimits.outcomesMax` operations were
  ///   answered since.
  /// - Complexity: O(n) in the number of operations that the store knows.
  public func status(of id: OperationID) -> OperationStatus? { shared.read { $0.status(of: id) } }

  /// Waits for the final status of an operation, also of one that an earlier process submitted.
  ///
  /// - Parameter id: The operation's id.
  /// - Returns: The status; `pending` if the client was closed first, and `nil` as for ``status(of:)``.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func finalStatus(of id: OperationID) async throws(CancellationError) -> OperationStatus? {
    for await _ in events {
      let status = status(of: id)
      if status != .pending { return status }
    }
    if Task.isCancelled { throw CancellationError() }
    return status(of: id)
  }

  /// The ids of the operations without an answer, oldest first, including those of an earlier process.
  public var waitingOperationIDs: [OperationID] { shared.read { $0.machine.identities.map(\.id) } }

  /// The number of operations without an answer, with the time since when they wait and the state of the connection.
  public var waitingOperations: WaitingOperations { shared.read { $0.waiting(at: .now) } }

  /// Waits until everything that was submitted so far is in the session store, and thus survives the end of the process.
  ///
  /// The client writes the store by itself, once for many operations and before it sends them; this is for an app that is about
  /// to end. Without a store it returns at once.
  ///
  /// - Throws: ``SessionStoreError`` if the store could not be written, or `CancellationError` if the task is cancelled. The
  ///   client tries again by itself.
  public func save() async throws {
    let saved = Promise<Result<Void, SessionStoreError>>()
    shared.save(saved)
    try await saved.value().get()
  }

  /// Connects at once if the client waits for its next attempt, as when the network has come back.
  ///
  /// A wait that the daemon has asked for is kept.
  public func reconnectNow() { shared.reconnectNow() }

  /// Closes the connection and keeps the session in the store: a later ``join(_:_:store:on:timeout:)-(String,_,_,_,_)`` resumes it. The
  /// daemon keeps the seat for its grace time.
  ///
  /// Without a session store this is ``leave()``. Submissions without an answer get it in the process that joins next.
  public func close() async {
    shared.close()
    do {
      try await shared.removed.value()
    } catch {
      // The client is closed either way; a cancelled task only stops waiting.
    }
  }
}
