import BaizeSync
import BaizeTable
import BaizeWire

/// Throttles the movements of this client's own drag to the rate at which the daemon relays them.
///
/// It sends the last position once more when the drag rests, because the daemon drops movements that come too fast, and
/// begins the drag again after a reconnect.
struct DragPacer: Sendable {
  private var held: Drag?
  /// The last movement, while it still has to be sent or repeated.
  private var last: Drag?
  private var isSent = false
  private var sentAt = Instant(nanoseconds: 0)

  /// The time at which the last movement is to be sent or repeated.
  var nextDeadline: Instant? {
    guard last != nil else { return nil }
    return sentAt.advanced(
      byMilliseconds: isSent ? ClientLimits.dragRestMilliseconds : ClientLimits.dragMoveMilliseconds)
  }

  /// - Returns: The drag message to send now, if any.
  mutating func pace(_ drag: Drag, at now: Instant) -> Drag? {
    switch drag.phase {
    case .began:
      held = drag
      last = nil
      return drag
    case .moved:
      guard held != nil else { return nil }
      last = drag
      isSent = false
      return due(at: now)
    case .ended, .cancelled:
      guard held != nil else { return nil }
      held = nil
      last = nil
      return drag
    }
  }

  /// Returns the last movement if its deadline has passed.
  mutating func due(at now: Instant) -> Drag? {
    guard let drag = last, let deadline = nextDeadline, now >= deadline else { return nil }
    if isSent { last = nil }
    isSent = true
    sentAt = now
    return drag
  }

  /// Handles the daemon's refusal of the drag: its remaining messages are not sent.
  mutating func refused(_ drag: Drag) {
    guard let held, held.items == drag.items else { return }
    self.held = nil
    last = nil
  }

  /// The drag to begin again after a reconnect: the daemon ended it with the old connection.
  var resumed: Drag? { held }
}
