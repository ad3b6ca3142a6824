public import BaizeTable

/// The time that is left of a turn and of the table. Never part of the state. (`Countdown` in the wire contract.)
public struct Countdown: Hashable, Sendable {
  /// The time that was left of the turn when this was sent, in milliseconds; 0 if no time runs.
  public var turnMilliseconds: UInt32
  /// The time that was left of the table when this was sent, in milliseconds; 0 if no time runs.
  public var tableMilliseconds: UInt32
  /// Whether the time of a turn is up. The diff that this led to, if it led to one, came before.
  public var isTurnUp: Bool
  /// Whether the time of the table is up.
  public var isTableUp: Bool
  /// The seat whose turn it was when the time was up; ``SeatNumber/spectator`` if it is not up, or if there are no turns.
  public var seat: SeatNumber

  /// Creates a countdown.
  public init(
    turnMilliseconds: UInt32 = 0, tableMilliseconds: UInt32 = 0, isTurnUp: Bool = false, isTableUp: Bool = false,
    seat: SeatNumber = .spectator
  ) {
    self.turnMilliseconds = turnMilliseconds
    self.tableMilliseconds = tableMilliseconds
    self.isTurnUp = isTurnUp
    self.isTableUp = isTableUp
    self.seat = seat
  }
}
