public import BaizeTable

/// A table for a user interface whose items are values of one type: a ``TableModel`` that reads and writes values.
///
/// A view that reads `board["todo"]` is updated as one that reads the model's own items.
///
/// ```swift
/// let board = TypedModel<Card>(try await TableModel.join("127.0.0.1:7777", ClientConfiguration(table: "sprint")))
/// ForEach(board["todo"]) { card in Text(card.value?.title ?? "hidden") }
/// ```
@MainActor
public final class TypedModel<Value: Codable & Sendable> {
  /// The model of the table.
  public nonisolated let model: TableModel
  /// The last items read of each collection, with their values.
  private var read: [String: (items: [Item], typed: [TypedItem<Value>])] = [:]

  /// Creates a typed view of a model.
  ///
  /// - Parameters:
  ///   - model: The model, which the view retains.
  ///   - type: The type of the items' values.
  public init(_ model: TableModel, of type: Value.Type = Value.self) { self.model = model }

  /// Returns the items of a collection, such as `board["todo"]`; empty if the table has no such collection.
  ///
  /// - Complexity: O(1) while the collection does not change, else O(n); only changed faces are decoded.
  public subscript(collection: String) -> [TypedItem<Value>] {
    guard let items = model.collection(collection)?.items else { return [] }
    let former = read[collection]
    if let former, former.items == items { return former.typed }
    let known = Dictionary((former?.typed ?? []).map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let typed = items.map { item in
      if let old = known[item.id], old.item == item { old } else { TypedItem<Value>(item) }
    }
    read[collection] = (items, typed)
    return typed
  }

  /// Returns the item with a key; see ``TypedTable/item(forKey:)``.
  public func item(forKey key: some Encodable) -> TypedItem<Value>? {
    model.client.item(forKey: key).map(TypedItem.init)
  }

  /// Inserts new items into a collection; see ``TypedTable/insert(_:in:before:)``.
  @discardableResult
  public func insert(
    _ values: Value..., in collection: String, before anchor: ItemID? = nil
  ) throws(ItemCodingError) -> Submission {
    model.insert(try NewItem.encoding(values), in: collection, before: anchor)
  }

  /// Gives an item another value. Sends only the attributes that change; see ``TypedTable/update(_:to:)``.
  @discardableResult
  public func update(_ id: ItemID, to value: Value) throws(ItemCodingError) -> Submission {
    guard let change = try model.client.change(of: id, to: value) else { return Submission(unchanged: ()) }
    return model.update(id, attributes: change.attributes, representations: change.representations)
  }

  /// Changes the value of an item. Sends only the attributes that change; see ``TypedTable/update(_:_:)``.
  @discardableResult
  public func update(_ id: ItemID, _ change: (inout Value) -> Void) throws(ItemCodingError) -> Submission {
    guard let value = try model.client.changed(id, change) else { return model.update(id) }
    return try update(id, to: value)
  }
}
