import BaizeTable
import BaizeWire

/// A session's live connection in a table's room.
struct Member {
  let connection: ConnectionID
  /// The slot of its session.
  let session: Int
  let seat: SeatNumber
  /// The turn in which it joined.
  let joined: TurnNumber
  /// Whether it was here before the table was read anew.
  var isReadmitted = false
  var backlog = Backlog()
  var phase = Phase.live {
    didSet { if case .live = phase { isLive = true } else { isLive = false } }
  }
  /// Whether the phase is live; kept apart, since every fan-out asks every member.
  private(set) var isLive = true
  /// The index of its last run of frames in a batch. It may be out of date: whoever uses it looks whether it still fits.
  var lastRun = 0
  /// The number of turns that had ended when it last got a snapshot.
  var snapshotTurn = 0
  /// The sessions that it saw drag something when it was last live.
  var draggersSeen: [SessionID] = []
  /// A ping to be answered when the member is live again.
  var heldPing: Ping?

  enum Phase {
    /// Receives every diff as it is made.
    case live
    /// Receives a snapshot, then what the log has from a position on.
    case loading(SnapshotProducer, tailFrom: RecordLog.Position)
    /// Has too much unread: receives nothing until it has read that, then a snapshot.
    case lagging
  }

  init(connection: ConnectionID, session: Int, seat: SeatNumber, joined: TurnNumber) {
    self.connection = connection
    self.session = session
    self.seat = seat
    self.joined = joined
  }

  var isLoading: Bool { if case .loading = phase { true } else { false } }
}

/// The unsent output of one connection, as its host reports it.
struct Backlog {
  private(set) var bytes: Int
  /// Since when too little of it was read, and how much was read since.
  private var stalledSince: Instant?
  private var takenBytes = 0

  init(bytes: Int = 0) { self.bytes = bytes }

  /// - Parameter taken: The number of bytes that the peer has read since the last report.
  mutating func report(_ bytes: Int, taken: Int, at now: Instant, _ limits: SyncLimits) {
    self.bytes = bytes
    takenBytes += taken
    if bytes == 0 {
      stalledSince = nil
    } else if stalledSince == nil || takenBytes >= limits.stalledBytesMin {
      stalledSince = now
      takenBytes = 0
    }
  }

  /// Whether the peer has read nothing, or next to nothing, for too long.
  func isStalled(at now: Instant, _ limits: SyncLimits) -> Bool {
    guard let stalledSince else { return false }
    return now.milliseconds(since: stalledSince) >= limits.stalledSeconds * 1_000
  }
}
