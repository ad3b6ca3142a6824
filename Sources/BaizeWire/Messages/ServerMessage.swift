public import BaizeTable

/// What the daemon sends. (`ServerMessage` in `Protocol/baize.proto`.)
public enum ServerMessage: Hashable, Sendable {
  case welcome(Welcome)
  case snapshot(SnapshotPart)
  case diff(Diff)
  case outcome(Outcome)
  case drag(Drag)
  case pong(Pong)
  case seats([Seat])
  case goodbye(Goodbye)
  /// A body that this version does not know: ignored.
  case unknown
}

/// The daemon's answer to a ``Hello``.
public struct Welcome: Hashable, Sendable {
  public var version: UInt32
  public var session: SessionID
  public var seat: SeatNumber
  /// New at every welcome.
  public var resumeToken: [UInt8]
  public var epoch: Epoch
  /// What the following snapshot or diffs lead to.
  public var revision: Revision
  /// The last operation of this session that was judged.
  public var lastSequence: SequenceNumber
  /// The table type's JSON document. Empty where the client holds the table already: no snapshot follows then, only the
  /// diffs that it missed.
  public var tableType: String
  /// What the creator chose for each of the document's options.
  public var options: [Attribute]
  public var frameBytesMax: UInt32
  /// How many revisions back a base may lie.
  public var history: UInt32
  public var heartbeatSeconds: UInt32
  /// The daemon's name and version.
  public var server: String
  /// How many operations a session may have unanswered.
  public var pendingMax: UInt32
  /// Lets others join as players: a secret. Only the one who created the table is told, and only where invites are asked
  /// for.
  public var invite: String

  public init(
    version: UInt32 = WireProtocol.version, session: SessionID, seat: SeatNumber, resumeToken: [UInt8], epoch: Epoch,
    revision: Revision, lastSequence: SequenceNumber, tableType: String, options: [Attribute] = [],
    frameBytesMax: UInt32, history: UInt32, heartbeatSeconds: UInt32, server: String, pendingMax: UInt32,
    invite: String = ""
  ) {
    self.version = version
    self.session = session
    self.seat = seat
    self.resumeToken = resumeToken
    self.epoch = epoch
    self.revision = revision
    self.lastSequence = lastSequence
    self.tableType = tableType
    self.options = options
    self.frameBytesMax = frameBytesMax
    self.history = history
    self.heartbeatSeconds = heartbeatSeconds
    self.server = server
    self.pendingMax = pendingMax
    self.invite = invite
  }
}

/// A part of a snapshot. Parts are contiguous: no diff stands between the first and the last.
public struct SnapshotPart: Hashable, Sendable {
  public var epoch: Epoch
  public var revision: Revision
  /// In handle order. All of them stand in the first part.
  public var collections: [CollectionSummary]
  /// In order, collection by collection, from where the part before ended.
  public var items: [Item]
  public var status: String
  /// The last part.
  public var isComplete: Bool
  /// Drops any unfinished snapshot.
  public var isFirst: Bool
  /// In the last part: this session's last judged operation in this state.
  public var lastSequence: SequenceNumber
  public var variables: [Attribute]
  public var seats: [Seat]

  public init(
    epoch: Epoch, revision: Revision, collections: [CollectionSummary] = [], items: [Item] = [], status: String = "",
    isComplete: Bool = false, isFirst: Bool = false, lastSequence: SequenceNumber = .zero,
    variables: [Attribute] = [], seats: [Seat] = []
  ) {
    self.epoch = epoch
    self.revision = revision
    self.collections = collections
    self.items = items
    self.status = status
    self.isComplete = isComplete
    self.isFirst = isFirst
    self.lastSequence = lastSequence
    self.variables = variables
    self.seats = seats
  }
}

/// A collection as a snapshot names it.
public struct CollectionSummary: Hashable, Sendable {
  public var handle: CollectionHandle
  public var id: String
  public var count: UInt32
  public var isEnabled: Bool

  public init(handle: CollectionHandle, id: String, count: UInt32, isEnabled: Bool = true) {
    self.handle = handle
    self.id = id
    self.count = count
    self.isEnabled = isEnabled
  }
}

/// The answer to an operation that made no diff.
public struct Outcome: Hashable, Sendable {
  public var sequence: SequenceNumber
  public var verdict: Verdict
  /// Empty unless refused or to be tried again.
  public var refusal: Refusal
  /// The state that the operation was judged against; of one accepted before, the one that it led to.
  public var revision: Revision
  /// Of an operation accepted before: the ids of what it made, as in its diff.
  public var minted: ItemList
  /// Of an operation accepted before: the rules chose another destination than the one asked for.
  public var isRedirected: Bool
  /// The invite that the host asked for: a secret.
  public var invite: String

  public init(
    sequence: SequenceNumber, verdict: Verdict, refusal: Refusal = .nothing, revision: Revision, minted: ItemList = [],
    isRedirected: Bool = false, invite: String = ""
  ) {
    self.sequence = sequence
    self.verdict = verdict
    self.refusal = refusal
    self.revision = revision
    self.minted = minted
    self.isRedirected = isRedirected
    self.invite = invite
  }
}

extension Refusal {
  /// What an outcome carries that refuses nothing.
  public static let nothing = Refusal(Reason(rawValue: ""))
}

/// What became of an operation without a diff. The raw values are the wire's.
public enum Verdict: UInt32, Hashable, Sendable {
  case refused = 0
  case unchanged = 1
  /// Judged and accepted before, at the outcome's revision.
  case duplicate = 2
  /// Not judged, not recorded, the number not used up.
  case retry = 3
}

/// The answer to a ``Ping``, in order with the diffs.
public struct Pong: Hashable, Sendable {
  public var nonce: UInt64
  public var revision: Revision
  /// The hash of the receiver's view at `revision`; zero where it was not asked for.
  public var viewHash: UInt64
  public var epoch: Epoch

  public init(nonce: UInt64, revision: Revision, viewHash: UInt64, epoch: Epoch) {
    self.nonce = nonce
    self.revision = revision
    self.viewHash = viewHash
    self.epoch = epoch
  }
}
