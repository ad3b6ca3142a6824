public import BaizeTable

/// Presence: who holds which items over which destination. Never part of the state.
public struct Drag: Hashable, Sendable {
  /// Set by the daemon.
  public var session: SessionID
  public var phase: Phase
  public var items: ItemList
  public var over: Destination?
  public var formation: Formation
  /// Thousandths of the table's width, only for show.
  public var x: Int32
  /// Thousandths of the table's height, only for show.
  public var y: Int32
  /// To the author: the claim was not granted.
  public var isRefused: Bool

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

  /// Where the drag is in its life. The raw values are the wire's.
  public enum Phase: UInt32, Hashable, Sendable {
    case began = 0
    case moved = 1
    case ended = 2
    case cancelled = 3
  }

  /// How the previews lie: SwiftUI's `DragDropPreviewsFormation`. The raw values are the wire's.
  public enum Formation: String, Hashable, Sendable, CaseIterable {
    case `default`
    case list
    case none
    case pile
    case stack
  }
}
