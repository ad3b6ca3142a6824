public import BaizeTable

/// The contents of a client's session store, so that a later process resumes its session and sends what was not answered.
///
/// It needs no table: the daemon's snapshot brings that. The sequence numbers of the pending operations and their epoch are all
/// of the numbering that matters, since the next number follows them or the snapshot's last one.
public struct ClientRecord: Hashable, Sendable {
  /// By what the daemon knows the client again; `nil` if nothing was ever stored.
  public var identity: Identity?
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
    /// The daemon's ticket; a secret.
    public var ticket: [UInt8]
  }

  /// Who joins, and as which of that person's sessions. Both are random bytes that the client makes once.
  public struct Identity: Hashable, Sendable {
    /// The credential of the person; a secret.
    public var credential: [UInt8]
    /// The name of the session.
    public var sessionName: [UInt8]

    /// - Parameter credential: The credential of a person who has one; empty for a new one.
    init(credential: [UInt8], random: inout RandomSource) {
      func bytes(_ count: Int) -> [UInt8] {
        (0..<count / 8).flatMap { _ in
          let word = random.next()
          return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
      }
      self.credential = credential.isEmpty ? bytes(WireLimits.credentialBytes) : credential
      sessionName = bytes(WireLimits.sessionNameBytesMax)
    }

    init(credential: [UInt8], sessionName: [UInt8]) {
      (self.credential, self.sessionName) = (credential, sessionName)
    }
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
