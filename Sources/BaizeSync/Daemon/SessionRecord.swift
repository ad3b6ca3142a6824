import BaizeTable
import BaizeWire

/// What the table keeps of one participant, whether it is connected or not.
struct SessionRecord: Sendable {
  let id: SessionID
  var name: String
  var seat: SeatNumber
  /// The revision that gave it this seat: what was seen from there before was for someone else.
  var seatedAt = Revision.zero
  /// What the client presents to come back. The one before stays valid until something arrives on the connection that got
  /// the new one, in case the welcome was lost.
  var token: ResumeToken
  var previousToken: ResumeToken?
  var outcomes = RecordedOutcomes()
  var memory = AuthorMemory()
  /// While set, an operation was not judged, and every one up to this number gets the same answer until it comes again.
  var retrying: Retrying?
  var rate = RateLimit()
  /// The last answer that went out on the present connection, or stands in the snapshot that did.
  var answered = SequenceNumber.zero
  /// The seat of the last connection that something was heard on: what the client holds was shown to that seat.
  var seatShown: SeatNumber?
  /// Whether it takes no seat by itself: it was invited to watch only, or the host gave its seat to another.
  var isSpectatorOnly = false
  var drag: Drag?
  /// Whether it has dragged since the table was in memory, or before that was read anew: others may have been told.
  var hasDragged = false
  /// Until when the drag holds its items against others; `nil` once that is over.
  var claimEnds: Instant?
  var dragRate = RateLimit()
  var dragMoveRate = RateLimit()
  var isConnected = true
  /// Its place is free for another session.
  var isForgotten = false
  /// When the connection was lost.
  var lost = Instant(nanoseconds: 0)

  /// What the journal keeps of it, besides its answers.
  var stored: StoredSession {
    StoredSession(
      id: id, name: name, token: token.bytes, previousToken: previousToken?.bytes ?? [],
      isSpectatorOnly: isSpectatorOnly)
  }

  /// An operation was judged, and its outcome noted. Of those behind it that were not, the author is told all the same.
  mutating func endRetrying() {
    if let retrying, retrying.isUntold, retrying.through > outcomes.last { return }
    retrying = nil
  }

  struct Retrying: Sendable {
    var refusal: Refusal
    /// The last operation that gets that answer.
    var through: SequenceNumber
    /// The last one whose author was told, so that nobody is told twice: each answer has it sent again.
    var told: SequenceNumber

    var isUntold: Bool { told < through }
  }
}
