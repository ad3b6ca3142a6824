public import BaizeTable
public import Observation

/// One collection of a table, for a user interface: observed for itself, so that a move in one pile draws no other.
@MainActor @Observable
public final class CollectionModel: Identifiable {
  /// Such as `pile/3`.
  public nonisolated let id: String
  /// As destinations name it.
  public nonisolated let handle: CollectionHandle
  /// In order, with their faces as far as they may be seen.
  public internal(set) var items: [Item] = []
  /// Whether anything may be lifted or dropped here.
  public internal(set) var isEnabled = true

  init(id: String, handle: CollectionHandle) {
    self.id = id
    self.handle = handle
  }
}

extension Item: Identifiable {}
