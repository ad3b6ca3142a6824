public import BaizeTable

/// An action of a client at a table. Items are named by their position in the client's view, so that an action is possible
/// even after other steps than before.
public enum ClientAction: Hashable, Sendable {
  case move([Spot], to: Gap)
  case copy([Spot], to: Gap)
  case alias([Spot], to: Gap)
  /// Inserts a number of new items.
  case insert(Int, to: Gap)
  case remove([Spot])
  case update(Spot, note: Int64)
  case perform(String, [Spot])
  /// Undoes an own operation: the last, or one so many before it.
  case undo(Int)
  /// A host action, of any client.
  case host(HostAction)
  /// An operation that every table refuses.
  case invalid(InvalidOperation, Spot, to: Gap)
  /// An action that is sent even if the replica refuses it.
  indirect case forced(ClientAction)
}

/// The position of an item: its collection's index and its offset, both modulo what there is.
public struct Spot: Hashable, Sendable {
  public var collection: Int
  public var offset: Int

  public init(_ collection: Int, _ offset: Int) {
    self.collection = collection
    self.offset = offset
  }
}

/// A gap between items: before the one at an offset, or the end.
public struct Gap: Hashable, Sendable {
  public var collection: Int
  public var before: Int?

  public init(_ collection: Int, before: Int? = nil) {
    self.collection = collection
    self.before = before
  }
}
