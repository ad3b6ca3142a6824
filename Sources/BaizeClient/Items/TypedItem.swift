public import BaizeTable

/// An item of a table whose items are values of one type.
///
/// An item is always there, whatever its face is: one that is hidden from this client has no value, and one whose face is no
/// `Value` has the error that says why.
public struct TypedItem<Value: Decodable & Sendable>: Identifiable, Sendable {
  /// The item with its face.
  public let item: Item
  /// The item's value, or the reason why there is none.
  public let content: Content

  /// The content of an item.
  public enum Content: Sendable {
    /// The face is this value.
    case value(Value)
    /// The face is hidden from this client.
    case hidden
    /// The face is not a `Value`.
    case unreadable(ItemCodingError)
  }

  /// Reads an item's face as a value.
  public init(_ item: Item) {
    self.item = item
    guard item.visibility != .nobody else {
      content = .hidden
      return
    }
    do throws(ItemCodingError) {
      content = .value(try item.face.decoded(as: Value.self))
    } catch {
      content = .unreadable(error)
    }
  }

  /// The item's id.
  public var id: ItemID { item.id }

  /// The value; `nil` if the face is hidden or unreadable.
  public var value: Value? { if case .value(let value) = content { value } else { nil } }

  /// The reason why a visible face is not a `Value`; `nil` otherwise.
  public var error: ItemCodingError? { if case .unreadable(let error) = content { error } else { nil } }

  /// Whether the face is hidden from this client.
  public var isHidden: Bool { if case .hidden = content { true } else { false } }
}

extension TypedItem.Content: Equatable where Value: Equatable {}
extension TypedItem.Content: Hashable where Value: Hashable {}
extension TypedItem: Equatable where Value: Equatable {}
extension TypedItem: Hashable where Value: Hashable {}

extension TypedItem: CustomStringConvertible {
  public var description: String {
    switch content {
    case .value(let value): "\(id): \(value)"
    case .hidden: "\(id): hidden"
    case .unreadable(let error): "\(id): unreadable, \(error)"
    }
  }
}

/// A collection of a ``TypedTable`` with its items at one moment, in order.
public struct TypedCollection<Value: Decodable & Sendable>: Identifiable, RandomAccessCollection, Sendable {
  /// The collection's name, such as `pile/3`.
  public let id: String
  /// The collection's handle, for a `Destination`.
  public let handle: CollectionHandle
  /// Whether items may be lifted from and dropped on this collection.
  public let isEnabled: Bool
  /// The items in order.
  public let items: [TypedItem<Value>]

  public var startIndex: Int { items.startIndex }
  public var endIndex: Int { items.endIndex }
  public subscript(position: Int) -> TypedItem<Value> { items[position] }
}
