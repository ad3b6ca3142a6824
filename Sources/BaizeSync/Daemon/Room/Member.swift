import BaizeTable
import BaizeWire

/// A session's live connection in a table's room. Most are idle, so it is small.
struct Member {
  let connection: ConnectionID
  private let sessionSlot: Int32
  let seat: SeatNumber
  let joined: TurnNumber
  /// The number of turns that had ended when its last snapshot began.
  var snapshotTurn = 0
  /// The sessions whose drags it had received when it was last live.
  var draggersSeen: [SessionID] = []
  /// The version of the last of the others' values of presence that it was sent.
  var valuesVersion: UInt64 = 0
  /// A ping to answer when the member is live again.
  @Rare var heldPing: Ping?
  var backlog = Backlog()
  private var storedLastRun: UInt32 = 0
  var phase = Phase.live {
    didSet { if case .live = phase { isLive = true } else { isLive = false } }
  }
  /// Whether the phase is live. A property of its own, since every fan-out reads it for every member.
  private(set) var isLive = true
  /// Whether it was a member before the table was restored after a storage failure.
  var isReadmitted = false
  /// The version of ``Watchers`` that it was told last; 0 if none.
  var watchersVersion: UInt32 = 0
  /// Whether it watches because all seats were taken, and asks for one.
  var asksForSeat = false
  /// Whether its peer may have more written to the journal.
  var mayWrite = true
  /// Whether it has joined as a new session and was never live.
  var isNew = false
  /// Whether it has become live since the time that is left was announced.
  var wantsTime = false

  enum Phase {
    /// Receives every diff when it is published.
    case live
    /// Receives a snapshot, then the log from a position on.
    case loading(SnapshotProducer, tailFrom: RecordLog.Position)
    /// Has an earlier state, and receives the log from a position on: the diffs after a revision.
    case resuming(tailFrom: RecordLog.Position, after: Revision)
    /// Waits until fewer states are frozen for others' snapshots, then receives a snapshot.
    case waiting
    /// Has too much unsent output: receives nothing until it has read that, then a snapshot.
    case lagging
  }

  init(connection: ConnectionID, session: Int, seat: SeatNumber, joined: TurnNumber) {
    self.connection = connection
    sessionSlot = Int32(session)
    self.seat = seat
    self.joined = joined
  }

  /// The slot of its session.
  var session: Int { Int(sessionSlot) }
  /// The index of its last run of frames in a batch. It may be out of date, so its user checks the run.
  var lastRun: Int {
    get { Int(storedLastRun) }
    set { storedLastRun = UInt32(truncatingIfNeeded: newValue) }
  }
  /// Whether the table's time runs because of it: a player who may have written what happens when the time is up.
  var keepsTime: Bool { seat != .spectator }
  /// Whether it needs the log from a position on.
  var isLoading: Bool {
    switch phase {
    case .loading, .resuming: true
    case .live, .waiting, .lagging: false
    }
  }
  /// Whether it has its snapshot, or needs none, and receives what the log has since then.
  var receivesTail: Bool {
    switch phase {
    case .loading(let producer, _): producer.isComplete
    case .resuming: true
    case .live, .waiting, .lagging: false
    }
  }
  /// The state that its snapshot is made from, until the last part.
  var frozen: FrozenState? { if case .loading(let producer, _) = phase { producer.frozen } else { nil } }
  var isWaiting: Bool { if case .waiting = phase { true } else { false } }
}

/// The unsent output of one connection, as its host reports it.
struct Backlog {
  private(set) var bytes: Int
  /// The bytes read since ``stalledSince``.
  private var takenBytes = 0
  /// The time since which too little was read.
  private var stalledSince: Instant?

  init(bytes: Int = 0) { self.bytes = bytes }

  /// - Parameter taken: The number of bytes that the peer has read since the last report.
  mutating func report(_ bytes: Int, taken: Int, at now: Instant, _ limits: SyncLimits) {
    self.bytes = bytes
    takenBytes += taken
    if bytes == 0 {
      stalledSince = nil
    } else if stalledSince == nil || takenBytes >= limits.connections.stalledBytesMin {
      stalledSince = now
      takenBytes = 0
    }
  }

  /// Returns whether the peer has read too little for too long.
  func isStalled(at now: Instant, _ limits: SyncLimits) -> Bool {
    guard let stalledSince else { return false }
    return now.milliseconds(since: stalledSince) >= limits.connections.stalledSeconds * 1_000
  }
}
