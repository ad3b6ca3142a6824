import BaizeSync
import BaizeWire

/// Keeps one's own drag: sends its movements no more often than the daemon passes them on, the last one always, and
/// begins it again after the connection was lost.
struct DragPacer: Sendable {
  private var held: Drag?
  private var unsent: Drag?
  private var sentAt = Instant(nanoseconds: 0)

  /// When a movement is to be sent that had to wait.
  var nextDeadline: Instant? {
    unsent == nil ? nil : sentAt.advanced(byMilliseconds: ClientLimits.dragMoveMilliseconds)
  }

  /// - Returns: what is to be sent now, if anything.
  mutating func pace(_ drag: Drag, at now: Instant) -> Drag? {
    switch drag.phase {
    case .began:
      held = drag
      unsent = nil
      return drag
    case .moved:
      guard held != nil else { return nil }
      unsent = drag
      return due(at: now)
    case .ended, .cancelled:
      guard held != nil else { return nil }
      held = nil
      unsent = nil
      return drag
    }
  }

  /// The movement whose time has come.
  mutating func due(at now: Instant) -> Drag? {
    guard let drag = unsent, let deadline = nextDeadline, now >= deadline else { return nil }
    unsent = nil
    sentAt = now
    return drag
  }

  /// The drag that goes on over a new connection: the daemon ended it with the one before.
  var resumed: Drag? { held }
}
