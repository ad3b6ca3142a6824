import BaizeSync
import BaizeTable
import BaizeWire

/// Keeps one's own drag: sends its movements no more often than the daemon passes them on, says where it rests once
/// more, since the daemon leaves out what came too fast, and begins it again after the connection was lost.
struct DragPacer: Sendable {
  private var held: Drag?
  /// The last movement, if it has to be sent yet or again.
  private var last: Drag?
  private var isSent = false
  private var sentAt = Instant(nanoseconds: 0)

  /// When the last movement is to be sent that had to wait, or is to be said again.
  var nextDeadline: Instant? {
    guard last != nil else { return nil }
    return sentAt.advanced(
      byMilliseconds: isSent ? ClientLimits.dragRestMilliseconds : ClientLimits.dragMoveMilliseconds)
  }

  /// - Returns: what is to be sent now, if anything.
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

  /// The movement whose time has come.
  mutating func due(at now: Instant) -> Drag? {
    guard let drag = last, let deadline = nextDeadline, now >= deadline else { return nil }
    if isSent { last = nil }
    isSent = true
    sentAt = now
    return drag
  }

  /// The daemon has refused to have the items dragged: the rest of that drag is not told.
  mutating func refused(_ drag: Drag) {
    guard let held, held.items == drag.items else { return }
    self.held = nil
    last = nil
  }

  /// The drag that goes on over a new connection: the daemon ended it with the one before.
  var resumed: Drag? { held }
}
