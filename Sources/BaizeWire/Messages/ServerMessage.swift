public import BaizeTable

/// A message of the daemon. (`ServerMessage` in `Protocol/baize.proto`.)
public enum ServerMessage: Hashable, Sendable {
  /// The answer to a hello.
  case welcome(Welcome)
  /// A part of a snapshot.
  case snapshot(SnapshotPart)
  /// One revision of the table.
  case diff(Diff)
  /// The answer to an operation that made no diff.
  case outcome(Outcome)
  /// Another participant's drag, or the answer to the receiver's own claim.
  case drag(Drag)
  /// The answer to a ping.
  case pong(Pong)
  /// All taken seats.
  case seats([Seat])
  /// The end of the connection.
  case goodbye(Goodbye)
  /// Another participant's own value of presence.
  case presence(Presence)
  /// A message to everyone at the table, or the refusal of the receiver's own.
  case chat(Chat)
  /// The time that is left, or that is up.
  case countdown(Countdown)
  /// The time until the connection's signed token has to be replaced by another, in seconds.
  case tokenTime(seconds: UInt32)
  /// Who watches.
  case watching(Watching)
  /// A message that this version does not know, which is ignored.
  case unknown
}

/// The daemon's answer to a ``Hello``.
public struct Welcome: Hashable, Sendable {
  /// The version of the protocol that the daemon uses.
  public var version: UInt32
  public var session: SessionID
  public var seat: SeatNumber
  /// The person whose session it is: the number of that one's first session.
  public var person: SessionID
  /// A proof that the daemon has admitted the person, for later hellos; a secret. It is the same in every welcome of a session, and
  /// of no other session of any table.
  public var ticket: [UInt8]
  public var epoch: Epoch
  /// The revision to which the following snapshot or diffs lead.
  public var revision: Revision
  /// The last operation of this session that was judged.
  public var lastSequence: SequenceNumber
  /// The table type's JSON document. Empty where the client has the table already: no snapshot follows then, only the
  /// diffs that it missed.
  public var tableType: String
  /// The creator's choice for each of the document's options.
  public var options: [Attribute]
  /// The longest frame that the daemon accepts, in bytes.
  public var frameBytesMax: UInt32
  /// The largest number of revisions between an operation's base and the present.
  public var history: UInt32
  /// The interval at which the client sends a heartbeat.
  public var heartbeatSeconds: UInt32
  /// The daemon's name and version.
  public var server: String
  /// The largest number of operations that a session may have in flight.
  public var pendingMax: UInt32
  /// The invite by which others join as players: a secret. Only for the table's creator, and only where invites are
  /// required.
  public var invite: String

  public init(
    version: UInt32 = WireProtocol.version, session: SessionID, seat: SeatNumber, person: SessionID? = nil,
    ticket: [UInt8],
    epoch: Epoch, revision: Revision, lastSequence: SequenceNumber, tableType: String, options: [Attribute] = [],
    frameBytesMax: UInt32, history: UInt32, heartbeatSeconds: UInt32, server: String, pendingMax: UInt32,
    invite: String = ""
  ) {
    self.version = version
    self.session = session
    self.seat = seat
    self.person = person ?? session
    self.ticket = ticket
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

/// A part of a snapshot. Parts are contiguous: there is no diff between the first and the last.
public struct SnapshotPart: Hashable, Sendable {
  public var epoch: Epoch
  public var revision: Revision
  /// In the first part all collections of the table type, in handle order. A collection that an item opens is in the part in
  /// which its items begin, not before the part with the item that opens it.
  public var collections: [CollectionSummary]
  /// Items in order, collection by collection, continuing the previous part.
  public var items: [Item]
  public var status: String
  /// Whether this is the last part.
  public var isComplete: Bool
  /// Whether this is the first part, which drops any incomplete snapshot.
  public var isFirst: Bool
  /// In the last part: the session's last operation that was judged in this state.
  public var lastSequence: SequenceNumber
  public var variables: [Attribute]
  /// The taken seats.
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

/// A collection in a snapshot.
public struct CollectionSummary: Hashable, Sendable {
  /// Its number on the wire.
  public var handle: CollectionHandle
  /// Its name.
  public var id: String
  /// The number of its items.
  public var count: UInt32
  /// Whether it is in use: otherwise no items move from or to it.
  public var isEnabled: Bool
  /// The item that opens it; ``ItemID/none`` for a collection of the table type.
  public var item: ItemID

  /// Creates a summary.
  public init(
    handle: CollectionHandle, id: String, count: UInt32, isEnabled: Bool = true, item: ItemID = .none
  ) {
    self.item = item
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
  /// The reason where it was refused or is to be retried; otherwise empty.
  public var refusal: Refusal
  /// The revision that it was judged against; of one accepted before, the revision that it made.
  public var revision: Revision
  /// The ids of the new items, as in the diff, of an operation accepted before.
  public var minted: ItemList
  /// Whether the rules chose another destination than the requested one for an operation accepted before.
  public var isRedirected: Bool
  /// The invite that the host requested: a secret.
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
  /// The refusal of an outcome that refuses nothing.
  public static let nothing = Refusal(Reason(rawValue: ""))
}

/// The result of an operation without a diff. The raw values are the wire's.
public enum Verdict: UInt32, Hashable, Sendable {
  /// The rules refuse it.
  case refused = 0
  /// It would change nothing.
  case unchanged = 1
  /// It was judged and accepted before, at the outcome's revision.
  case duplicate = 2
  /// It was neither judged nor recorded, and its number is not used up.
  case retry = 3
}

/// The answer to a ``Ping``, in order with the diffs.
public struct Pong: Hashable, Sendable {
  public var nonce: UInt64
  public var revision: Revision
  /// The hash of the receiver's view at `revision`; 0 where it was not requested.
  public var viewHash: UInt64
  public var epoch: Epoch

  public init(nonce: UInt64, revision: Revision, viewHash: UInt64, epoch: Epoch) {
    self.nonce = nonce
    self.revision = revision
    self.viewHash = viewHash
    self.epoch = epoch
  }
}
