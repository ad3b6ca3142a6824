public import BaizeTable

/// The contents of a client's session store, so that a later process resumes its session and sends what was not answered.
///
/// It needs no table: the daemon's snapshot brings that. The sequence numbers of the pending operations and their epoch are all
/// of the numbering that matters, since the next number follows them or the snapshot's last one.
public struct ClientRecord: Hashable, Sendable {
  /// The session; `nil` if there is none, because the client has not joined yet or has left.
  public var session: Session?
  /// The last invite for players that the client received; a secret.
  public var invite = ""
  /// The epoch of the pending operations' numbers.
  public var epoch = Epoch(rawValue: 0)
  /// The operations without an answer, oldest first.
  public var pending: [Pending] = []
  /// The last outcomes, oldest first: at most `ClientLimits.outcomesMax`.
  public var outcomes: [Outcome] = []

  /// A session that can be resumed.
  public struct Session: Hashable, Sendable {
    /// The session's id.
    public var id: SessionID
    /// The seat in which the pending operations were made.
    public var seat: SeatNumber
    /// The token that resumes the session; a secret.
    public var token: [UInt8]
  }

  /// An operation without an answer.
  public struct Pending: Hashable, Sendable {
    /// The operation, as it was sent last or is to be sent.
    public var operation: TableOperation
    /// The operation's name for the app, and its time.
    public var identity: OperationIdentity
  }

  /// The outcome of an operation.
  public struct Outcome: Hashable, Sendable {
    /// The operation's id.
    public var id: OperationID
    /// The operation's number in the session; zero if that is lost.
    public var sequence: SequenceNumber
    /// The outcome.
    public var status: OperationStatus
  }

  /// Creates the record of a client that has not joined yet.
  public init() {}
}
