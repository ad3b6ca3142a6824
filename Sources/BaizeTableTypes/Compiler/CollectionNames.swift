import BaizeTable

/// The collections of a table type by the names that rules use. A kind's name stands for all of its collections.
struct CollectionNames {
  private(set) var collections: [CollectionRules] = []
  private var handles: [String: [CollectionHandle]] = [:]
  private var attributeNames: Set<String> = []
  private var openHandles: Set<CollectionHandle> = []
  /// The kinds of the collections that items open, by name: indices among all kinds.
  private(set) var openedKinds: [String: Int] = [:]
  /// The names of kinds and collections that the options exclude.
  private var excluded: Set<String> = []
  /// The collections whose items open others.
  private var opening: Set<CollectionHandle> = []

  mutating func addKind(_ name: String) { handles[name] = [] }

  mutating func addOpenedKind(_ name: String, number: Int) { openedKinds[name] = number }

  /// Adds the names of a kind that the options exclude.
  ///
  /// - Parameter names: The names of its collections, and of groups of them.
  mutating func addExcluded(_ kind: String, _ names: [String] = []) {
    excluded.insert(kind)
    excluded.formUnion(names)
  }

  /// Returns whether the options exclude what has the name.
  func isExcluded(_ name: String) -> Bool { excluded.contains(name) && !contains(name) }

  /// - Parameters:
  ///   - group: A name that stands for this collection and others of the same seat.
  ///   - isOpen: Whether everyone may see every face in it.
  ///   - opens: Whether its items open collections.
  mutating func add(
    _ collection: CollectionRules, kind: String, group: String? = nil, isOpen: Bool, opens: Bool = false
  ) {
    collections.append(collection)
    attributeNames.formUnion(collection.attributes.map(\.name))
    let handle = CollectionHandle(rawValue: UInt32(collections.count))
    handles[kind, default: []].append(handle)
    if isOpen { openHandles.insert(handle) }
    if opens { opening.insert(handle) }
    if collection.id != kind { handles[collection.id] = [handle] }
    if let group { handles[group, default: []].append(handle) }
  }

  /// Returns whether a kind or a collection has the name.
  func contains(_ name: String) -> Bool { handles[name] != nil || openedKinds[name] != nil }

  /// Returns the collections that `name` stands for, in order.
  subscript(name: String) -> [CollectionHandle]? { handles[name] }

  subscript(handle: CollectionHandle) -> CollectionRules { collections[Int(handle.rawValue) - 1] }

  /// The names of kinds and collections, in no particular order.
  var names: some Sequence<String> { handles.keys }

  /// Returns whether everyone may see every face in a collection.
  func isOpen(_ handle: CollectionHandle) -> Bool { openHandles.contains(handle) }

  /// Returns whether the items of a collection open others.
  func opens(_ handle: CollectionHandle) -> Bool { opening.contains(handle) }

  /// Returns whether a collection may have the attribute. One that an item opens has those of the item, whatever they are.
  func hasAttribute(_ name: String) -> Bool { !openedKinds.isEmpty || attributeNames.contains(name) }
}
