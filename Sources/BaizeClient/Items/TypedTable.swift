public import BaizeSync
public import BaizeTable
import BaizeWire

/// A shared table whose items are values of one type: a ``TableClient`` that reads and writes values instead of attributes.
///
/// ```swift
/// struct Card: Codable { var title: String, points = 1 }
///
/// let board = try await TypedTable<Card>.join("127.0.0.1:7777", ClientConfiguration(table: "sprint"))
/// let made = try board.insert(Card(title: "Ship it"), in: "todo")
/// for card in board["todo"] { print(card.value?.title ?? "hidden") }
/// ```
///
/// Everything else is done with ``client``, at the same time if need be.
public struct TypedTable<Value: Codable & Sendable>: Sendable {
  /// The client of the table.
  public let client: TableClient

  /// Creates a typed view of a client's table.
  ///
  /// - Parameters:
  ///   - client: The client, which the view retains.
  ///   - type: The type of the items' values.
  public init(_ client: TableClient, of type: Value.Type = Value.self) { self.client = client }

  /// Joins a table; see ``TableClient/join(_:_:store:on:timeout:)-(String,_,_,_,_)``.
  public static func join(
    _ address: String, _ configuration: ClientConfiguration, store: (any SessionStore)? = nil,
    on loop: ClientLoop? = nil, timeout: Duration = .seconds(10)
  ) async throws -> TypedTable {
    TypedTable(try await TableClient.join(address, configuration, store: store, on: loop, timeout: timeout))
  }

  /// Leaves the table; see ``TableClient/leave()``.
  public func leave() async { await client.leave() }

  // MARK: Reading

  /// Returns the items of a collection, such as `board["todo"]`; empty if the table has no such collection.
  ///
  /// - Complexity: O(n), each face decoded.
  public subscript(collection: String) -> [TypedItem<Value>] { client.items(in: collection).map(TypedItem.init) }

  /// Returns items of a collection in order.
  ///
  /// - Parameters:
  ///   - collection: The collection's name, such as `pile/3`.
  ///   - range: The offsets to return; offsets outside of the collection are ignored.
  /// - Complexity: O(log n) plus the number of items returned.
  public func items(in collection: String, _ range: Range<Int>) -> [TypedItem<Value>] {
    client.items(in: collection, range).map(TypedItem.init)
  }

  /// The collections with their items, all at one moment, in the order of the table type.
  ///
  /// - Complexity: O(n) in the table's items.
  public var collections: [TypedCollection<Value>] {
    client.contents.map { collection, items in
      TypedCollection(
        id: collection.id, handle: collection.handle, isEnabled: collection.isEnabled, items: items.map(TypedItem.init))
    }
  }

  /// Returns an item, in whatever collection it is; `nil` if the table has no such item or this client may not see it.
  public func item(_ id: ItemID) -> TypedItem<Value>? { client.item(id).map(TypedItem.init) }

  /// Returns the item with a key; `nil` if there is none, or if the table type has no keys.
  ///
  /// - Parameter key: The value of the field that the table type calls its `key`, such as a `UUID`.
  /// - Complexity: O(1) expected.
  public func item(forKey key: some Encodable) -> TypedItem<Value>? { client.item(forKey: key).map(TypedItem.init) }

  // MARK: Operations

  /// Inserts new items into a collection; see ``TableClient/insert(_:in:before:)``.
  ///
  /// - Parameters:
  ///   - values: The new items' values, in order.
  ///   - collection: The collection's name, such as `todo`.
  ///   - anchor: The item to insert before; `nil` for the end.
  /// - Throws: ``ItemCodingError`` with the field, for a value that is no face. Nothing is inserted then.
  @discardableResult
  public func insert(
    _ values: Value..., in collection: String, before anchor: ItemID? = nil
  ) throws(ItemCodingError) -> Submission {
    try insert(contentsOf: values, in: collection, before: anchor)
  }

  /// Inserts new items into a collection; see ``TableClient/insert(_:in:before:)``.
  ///
  /// - Parameters:
  ///   - values: The new items' values, in order.
  ///   - collection: The collection's name, such as `todo`.
  ///   - anchor: The item to insert before; `nil` for the end.
  /// - Throws: ``ItemCodingError`` with the field, for a value that is no face. Nothing is inserted then.
  @discardableResult
  public func insert(
    contentsOf values: some Sequence<Value>, in collection: String, before anchor: ItemID? = nil
  ) throws(ItemCodingError) -> Submission {
    client.insert(try NewItem.encoding(values), in: collection, before: anchor)
  }

  /// Moves items to a collection; see ``TableClient/move(_:to:before:)``.
  @discardableResult
  public func move(_ items: ItemID..., to collection: String, before anchor: ItemID? = nil) -> Submission {
    client.move(items, to: collection, before: anchor)
  }

  /// Gives an item another value. Sends only the attributes that change.
  ///
  /// Attributes that `Value` does not name stay as they are: they may be another version's.
  ///
  /// - Parameters:
  ///   - id: The item.
  ///   - value: The new value.
  /// - Returns: The submission; answered `unchanged`, without asking the daemon, if nothing changes.
  /// - Throws: ``ItemCodingError`` with the field, for a value that is no face.
  @discardableResult
  public func update(_ id: ItemID, to value: Value) throws(ItemCodingError) -> Submission {
    try client.update(id, to: value)
  }

  /// Changes the value of an item. Sends only the attributes that change.
  ///
  /// - Parameters:
  ///   - id: The item. If it is unknown or its face is hidden, the submission is refused.
  ///   - change: Changes the value.
  /// - Returns: The submission; see ``update(_:to:)``.
  /// - Throws: ``ItemCodingError`` if the item has no value of this type, or the new value is no face.
  @discardableResult
  public func update(_ id: ItemID, _ change: (inout Value) -> Void) throws(ItemCodingError) -> Submission {
    try client.update(id, change)
  }

  /// Removes items from the table.
  @discardableResult
  public func remove(_ items: ItemID...) -> Submission { client.remove(items) }

  /// Undoes one of this session's operations; see ``TableClient/undo(_:)``.
  @discardableResult
  public func undo(_ submission: Submission) -> Submission { client.undo(submission) }

  /// The changes to the visible state, own and others', in order; the first element is `[.reloaded]`.
  public var changes: some AsyncSequence<[TableChange], Never> & Sendable { client.changes }
}

extension NewItem {
  static func encoding(_ values: some Sequence<some Encodable>) throws(ItemCodingError) -> [NewItem] {
    var items: [NewItem] = []
    for value in values { items.append(try NewItem(encoding: value)) }
    return items
  }
}

extension TableClient {
  /// Returns the item whose key is what a field with this value becomes.
  func item(forKey key: some Encodable) -> Item? {
    guard let face = try? Face(encoding: [Face.unnamedField: key]), let value = face[Face.unnamedField] else {
      return nil
    }
    return item(forKey: value)
  }

  func update(_ id: ItemID, to value: some Codable) throws(ItemCodingError) -> Submission {
    guard let change = try change(of: id, to: value) else { return Submission(unchanged: ()) }
    return update(id, attributes: change.attributes, representations: change.representations)
  }

  func update<Value: Codable>(_ id: ItemID, _ change: (inout Value) -> Void) throws(ItemCodingError) -> Submission {
    guard let value = try changed(id, change) else { return update(id) }
    return try update(id, to: value)
  }

  /// Returns what to send so that an item has a value; `nil` for nothing.
  func change(of id: ItemID, to value: some Codable) throws(ItemCodingError) -> FaceChange? {
    let item = item(id)
    let change = try FaceChange(of: item?.face ?? Face(), to: value)
    return change.isEmpty && item != nil ? nil : change
  }

  /// Returns the changed value of an item; `nil` if the item is unknown or its face is hidden, which the rules refuse.
  func changed<Value: Codable>(_ id: ItemID, _ change: (inout Value) -> Void) throws(ItemCodingError) -> Value? {
    guard let item = item(id), item.visibility != .nobody else { return nil }
    var value = try item.face.decoded(as: Value.self)
    change(&value)
    return value
  }
}

/// The attributes and representations that make a face that of another value.
struct FaceChange {
  private(set) var attributes: [Attribute] = []
  private(set) var representations: [Representation] = []

  var isEmpty: Bool { attributes.isEmpty && representations.isEmpty }

  init<Value: Codable>(of face: Face, to value: Value) throws(ItemCodingError) {
    let new = try Face(encoding: value)
    for attribute in new.attributes where face[attribute.name] != attribute.value { attributes.append(attribute) }
    if new.representations != face.representations { representations = new.representations }
    // Attributes that the old value has and the new one does not. Those that no value of this type has are left alone.
    guard let old = try? face.decoded(as: Value.self), let former = try? Face(encoding: old) else { return }
    for attribute in former.attributes where new[attribute.name] == nil && face[attribute.name] != nil {
      attributes.append(Attribute(name: attribute.name, value: nil))
    }
  }
}
