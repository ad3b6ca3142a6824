import BaizeTable

/// The room that a full turn keeps for quiet tables.
///
/// Once others have used up a turn, every frame waits for a later one, and a table whose clients send a ping now and then would
/// wait behind all that others have sent before. So a few short frames of tables of which nothing waits are received all the
/// same. A table of which a frame had to wait takes its turn among the others, whose order is the host's.
struct QuietReserve {
  private(set) var turn = 0
  private var frames = ServerLimits.quietFramesMax
  /// The size of the turn at which the room is used up; `nil` before the first frame.
  private var endBytes: Int?

  mutating func renew() {
    turn += 1
    (frames, endBytes) = (ServerLimits.quietFramesMax, nil)
  }

  /// Takes room for a frame.
  ///
  /// - Parameters:
  ///   - bytes: The size of the frame.
  ///   - turnBytes: The size of the turn.
  /// - Returns: Whether the frame may be received in this turn.
  mutating func admits(_ bytes: Int, at turnBytes: Int, _ share: inout QuietShare) -> Bool {
    let end = endBytes ?? turnBytes + ServerLimits.quietBytesMax
    endBytes = end
    guard frames > 0, turnBytes < end, bytes <= ServerLimits.quietFrameBytesMax, share.take(in: turn) else {
      return false
    }
    frames -= 1
    return true
  }
}

/// A table's part of a ``QuietReserve``.
struct QuietShare {
  private var frames = 0
  private var turn = -1
  /// The last turn in which the table is not quiet.
  private var busyUntil = -1

  /// Takes one of the frames that the table has in a turn.
  mutating func take(in turn: Int) -> Bool {
    guard turn > busyUntil else { return false }
    if turn != self.turn { (self.turn, frames) = (turn, ServerLimits.quietFramesPerTableMax) }
    guard frames > 0 else { return false }
    frames -= 1
    return true
  }

  /// Notes that a frame has to wait for a turn after `turn`.
  mutating func noteDeferral(in turn: Int) { busyUntil = turn + 1 }
}
