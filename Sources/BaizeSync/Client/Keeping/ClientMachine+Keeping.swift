import BaizeTable
public import BaizeWire

/// Identity that outlasts the process. A machine with a store never sends an operation, or anything on a new connection,
/// before an effect ``ClientEffect/persist``; see there for the order.
extension ClientMachine {
  /// The record that a session store must have now; `nil` for a machine without one.
  public var record: ClientRecord? {
    guard let keeping else { return nil }
    var record = ClientRecord()
    record.identity = identity
    record.outcomes = keeping.outcomes
    record.invite = invite
    guard let session = storedSession else { return record }
    record.session = session
    if keeping.isPendingAnswered { return record }
    if let replica {
      record.epoch = replica.epoch
      record.pending = replica.pending.compactMap { pending in
        pending.identity.map { ClientRecord.Pending(operation: pending.operation, identity: $0) }
      }
    } else {
      record.epoch = keeping.waitingEpoch
      record.pending = keeping.waiting
    }
    return record
  }

  /// The session that a later process can resume.
  private var storedSession: ClientRecord.Session? {
    if keeping?.hasLeft == true { return nil }
    guard let welcome else { return keeping?.session }
    return ClientRecord.Session(id: welcome.session, seat: welcome.seat, ticket: welcome.ticket)
  }

  /// Returns the status of an operation.
  ///
  /// - Parameter id: The operation's id.
  /// - Returns: The status; `nil` if no such operation was submitted, or if more than `ClientLimits.outcomesMax` operations
  ///   were answered since.
  /// - Complexity: O(n) in the number of operations that are known.
  public func status(of id: OperationID) -> OperationStatus? {
    if replica?.pending.contains(where: { $0.identity?.id == id }) == true { return .pending }
    guard let keeping else { return nil }
    if keeping.waiting.contains(where: { $0.identity.id == id }) { return .pending }
    return keeping.outcomes.last { $0.id == id }?.status
  }

  /// The operations without an answer that have an identity, oldest first, including those of an earlier process.
  public var identities: [OperationIdentity] {
    replica?.pending.compactMap(\.identity) ?? keeping?.waiting.map(\.identity) ?? []
  }

  /// Handles a failed write of the store: nothing that depends on it may be sent. The host has carried out none of the sends
  /// behind the ``ClientEffect/persist`` that failed.
  public mutating func persistFailed(_ why: String, at now: Instant, into effects: inout [ClientEffect]) {
    guard keeping != nil else { return }
    if case .ended = phase { return }
    keeping?.saveFailed()
    keeping?.saveAt = now.advanced(byMilliseconds: ClientLimits.saveAgainMilliseconds)
    guard isConnected else { return }
    effects.append(.disconnect)
    let goodbye = Goodbye(
      .sessionStore, detail: why, isResumable: true,
      retryAfterMilliseconds: UInt32(ClientLimits.saveAgainMilliseconds))
    waitToReconnect(after: goodbye, at: now, into: &effects)
  }

  /// Ends the machine and keeps its session: the connection is closed, and a later process can resume. A machine without a
  /// store leaves the table.
  public mutating func close(at now: Instant, into effects: inout [ClientEffect]) {
    guard keeping != nil else { return leave(at: now, into: &effects) }
    if case .ended = phase { return }
    // A session that was never welcomed stays in the store as it is.
    if welcome != nil { persist(into: &effects) }
    let goodbye = Goodbye(.leaving, isResumable: true)
    if isConnected {
      send(.goodbye(goodbye), at: now, into: &effects)
      effects.append(.disconnect)
    }
    phase = .ended(goodbye)
    effects.append(.event(.ended(goodbye)))
  }

  // MARK: Saving

  mutating func persist(into effects: inout [ClientEffect]) {
    guard keeping != nil else { return }
    keeping?.willSave()
    effects.append(.persist)
  }

  /// Writes the store if something that was not written must be durable before the next message.
  mutating func persistIfUnsaved(into effects: inout [ClientEffect]) {
    if keeping?.isUnsaved == true { persist(into: &effects) }
  }

  mutating func persistIfDue(at now: Instant, into effects: inout [ClientEffect]) {
    if let saveAt = keeping?.saveAt, now >= saveAt { persist(into: &effects) }
  }

  // MARK: Operations

  /// Returns the identity of a new operation; throws the refusal of an id that cannot be used.
  mutating func identity(_ id: OperationID?, at submittedAt: UInt64) throws(Refusal) -> OperationIdentity? {
    guard let id else {
      guard keeping != nil else { return nil }
      return OperationIdentity(id: .random(&random), submittedAt: submittedAt)
    }
    guard id.isValid else { throw Refusal(.badOperationID, detail: "the id has no bytes or too many") }
    guard status(of: id) == nil else { throw Refusal(.operationIDUsed, detail: "the id '\(id)' was used before") }
    return OperationIdentity(id: id, submittedAt: submittedAt)
  }

  /// Reports an answer, and records it for the store.
  mutating func report(_ answered: Answered, into effects: inout [ClientEffect]) {
    if let id = answered.id, keeping != nil {
      let outcome = ClientRecord.Outcome(
        id: id, sequence: answered.operation.sequence, status: OperationStatus(answered))
      keeping?.note(outcome)
      if keeping?.saveAt == nil {
        keeping?.saveAt = heartbeat.lastReceived.advanced(byMilliseconds: ClientLimits.saveMilliseconds)
      }
    }
    effects.append(.event(.answered(answered)))
  }

  /// Reports the pending operations as unknown, those of an earlier process included: they are never sent again.
  mutating func answerPendingAsUnknown(into effects: inout [ClientEffect]) {
    for pending in replica?.pending ?? [] { report(pending.answered(.unknown), into: &effects) }
    for waiting in keeping?.waiting ?? [] {
      report(Answered(operation: waiting.operation, answer: .unknown, id: waiting.identity.id), into: &effects)
    }
    keeping?.waiting = []
  }

  /// Shows the operations of an earlier process on this process's first snapshot.
  ///
  /// - Returns: Whether they have new numbers, which must be durable before they are sent.
  mutating func restorePending(to replica: inout Replica) -> Bool {
    guard let keeping, !keeping.waiting.isEmpty else { return false }
    let pending = keeping.waiting.map { waiting in
      var restored = PendingOperation(operation: waiting.operation, prediction: .unknown)
      restored.identity = waiting.identity
      return restored
    }
    replica.adopt(
      pending, of: keeping.waitingEpoch, memory: made ?? AuthorMemory(), madeAs: replica.author.seat, seen: nil)
    self.keeping?.waiting = []
    return keeping.waitingEpoch != replica.epoch
  }
}

extension GoodbyeReason {
  /// The session store could not be written, so that nothing may be sent. Only the client itself gives this reason.
  public static let sessionStore = GoodbyeReason(rawValue: "SESSION_STORE")
}
