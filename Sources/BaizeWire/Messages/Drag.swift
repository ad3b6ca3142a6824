public import BaizeTable

/// Presence: a drag of items over a destination. Never part of the state.
public struct Drag: Hashable, Sendable {
  /// The session that drags; set by the daemon.
  public var session: SessionID
  /// The step in the life of the drag.
  public var phase: Phase
  /// The dragged items.
  public var items: ItemList
  /// The destination below, if any.
  public var over: Destination?
  /// The arrangement of the previews.
  public var formation: Formation
  /// The position in thousandths of the table's width, for presentation only.
  public var x: Int32
  /// The position in thousandths of the table's height, for presentation only.
  public var y: Int32
  /// To the author: whether the claim was refused.
  public var isRefused: Bool

  /// Creates a drag.
  public init(
    session: SessionID = .daemon, phase: Phase, items: ItemList = [], over: Destination? = nil,
    formation: Formation = .default, x: Int32 = 0, y: Int32 = 0, isRefused: Bool = false
  ) {
    self.session = session
    self.phase = phase
    self.items = items
    self.over = over
    self.formation = formation
    self.x = x
    self.y = y
    self.isRefused = isRefused
  }

  /// A step in the life of a drag. The raw values are the wire's.
  public enum Phase: UInt32, Hashable, Sendable {
    case began = 0
    case moved = 1
    case ended = 2
    case cancelled = 3
  }

  /// An arrangement of drag previews: SwiftUI's `DragDropPreviewsFormation`. The raw values are the wire's.
  public enum Formation: String, Hashable, Sendable, CaseIterable {
    case `default`
    case list
    case none
    case pile
    case stack
  }
}
