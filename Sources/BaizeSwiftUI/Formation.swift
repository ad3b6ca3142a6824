#if BAIZE_SWIFTUI_DECLARATIONS_MACOS || (canImport(SwiftUI) && compiler(>=6.4) && os(macOS))
  public import BaizeClient
  public import BaizeWire
  public import SwiftUI

  @available(macOS 27.0, *)
  extension SwiftUI.DragDropPreviewsFormation {
    /// Converts the formation of a drag, one's own or another participant's. Only macOS has formations.
    public init(_ formation: Drag.Formation) {
      switch formation {
      case .default: self = .default
      case .list: self = .list
      case .none: self = .none
      case .pile: self = .pile
      case .stack: self = .stack
      }
    }
  }
#endif
