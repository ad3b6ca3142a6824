/// A named value of an item, a collection or a table: `rank=6`, `suit=hearts`.
public struct Attribute: Hashable, Sendable {
  /// The name, unique within its owner.
  public var name: String
  /// The value. `nil` deletes the attribute in an update and never occurs in a state.
  public var value: AttributeValue?

  /// Creates an attribute, or with `nil` the deletion of one.
  public init(name: String, value: AttributeValue?) {
    self.name = name
    self.value = value
  }

  /// Creates an attribute with a number.
  public init(_ name: String, _ number: Int64) { self.init(name: name, value: .number(number)) }
  /// Creates an attribute with a text.
  public init(_ name: String, _ text: String) { self.init(name: name, value: .text(text)) }

  /// Returns whether name and value are equal, texts byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.name.hasBytes(of: right.name) && left.value == right.value
  }
}

/// The value of an attribute.
public enum AttributeValue: Hashable, Sendable {
  /// A signed integer.
  case number(Int64)
  /// A text.
  case text(String)

  /// Returns whether the values are equal, texts byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)): left == right
    case (.text(let left), .text(let right)): left.hasBytes(of: right)
    case (.number, .text), (.text, .number): false
    }
  }
}

/// One form of an item's content, as a `Transferable` would offer it.
public struct Representation: Hashable, Sendable {
  /// The media type or uniform type identifier, such as `text/plain`.
  public var contentType: String
  /// The content. The daemon does not interpret it.
  public var data: [UInt8]

  /// Creates a representation.
  public init(contentType: String, data: [UInt8]) {
    self.contentType = contentType
    self.data = data
  }

  /// Returns whether content type and content are equal, byte by byte.
  public static func == (left: Self, right: Self) -> Bool {
    left.contentType.hasBytes(of: right.contentType) && left.data == right.data
  }
}

/// The content of an item: everything about it that can be hidden.
public struct Face: Hashable, Sendable {
  /// The attributes, ascending by the UTF-8 of their names, each name once.
  public private(set) var attributes: [Attribute]
  /// The representations, most preferred first.
  public var representations: [Representation]

  /// Creates a face of `attributes` in any order. The last of several with one name counts; one without a value is left
  /// out.
  public init(attributes: [Attribute] = [], representations: [Representation] = []) {
    self.attributes = []
    self.representations = representations
    guard attributes.count <= Self.fewAttributes else {
      self.attributes = attributes.merged()
      return
    }
    self.attributes.reserveCapacity(attributes.count)
    for attribute in attributes { set(attribute) }
  }

  /// The number of attributes up to which they are inserted one by one.
  private static let fewAttributes = 8

  /// The value of the attribute `name`, or `nil`.
  ///
  /// - Complexity: O(number of attributes), of which there are few.
  public subscript(name: String) -> AttributeValue? {
    for attribute in attributes where attribute.name.hasBytes(of: name) { return attribute.value }
    return nil
  }

  /// Sets, replaces or (without a value) deletes one attribute.
  public mutating func set(_ attribute: Attribute) { attributes.merge(attribute) }

  /// The size in bytes: that of all texts and data, plus a fixed overhead for each of them. Every limit on contents
  /// counts this: of tables, of operations, of what is kept for undo. It is never less than on the wire, so that bounds
  /// of frames are made of it, too.
  ///
  /// - Complexity: O(number of attributes and representations).
  public var contentBytes: Int {
    attributes.reduce(0) { $0 + $1.contentBytes }
      + representations.reduce(0) { $0 + $1.contentBytes }
  }
}

extension Representation {
  /// The size in bytes, measured as in ``Face/contentBytes``.
  public var contentBytes: Int { contentType.utf8.count + data.count + TableLimits.partContentBytes }
}

extension Attribute {
  /// Returns whether the name's bytes come before those of another attribute's name.
  fileprivate func precedes(_ other: Attribute) -> Bool { name.utf8.lexicographicallyPrecedes(other.name.utf8) }

  /// The size in bytes, measured as in ``Face/contentBytes``.
  public var contentBytes: Int {
    switch value {
    case .text(let text)?: name.utf8.count + text.utf8.count + TableLimits.partContentBytes
    case .number?, nil: name.utf8.count + TableLimits.partContentBytes
    }
  }
}

extension [Attribute] {
  /// Returns the list in ascending order of the names. The last of several with one name counts; one without a value is left
  /// out.
  ///
  /// - Complexity: O(n log n), and O(n) for a list that ascends.
  fileprivate func merged() -> [Attribute] {
    let ascends = indices.dropFirst().allSatisfy { self[$0 - 1].precedes(self[$0]) }
    guard !ascends else { return filter { $0.value != nil } }
    let order = indices.sorted { left, right in
      self[left].precedes(self[right]) || (left < right && !self[right].precedes(self[left]))
    }
    var merged: [Attribute] = []
    merged.reserveCapacity(count)
    for index in order {
      if let last = merged.last, last.name.hasBytes(of: self[index].name) { merged.removeLast() }
      merged.append(self[index])
    }
    merged.removeAll { $0.value == nil }
    return merged
  }

  /// Sets, replaces or (without a value) deletes one attribute in a list that ascends by name.
  mutating func merge(_ attribute: Attribute) {
    // Compares bytes, which every language can do; Swift's own order follows Unicode equivalence.
    let name = attribute.name.utf8
    let index = firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name) } ?? count
    let exists = index < count && self[index].name.hasBytes(of: attribute.name)
    switch (exists, attribute.value == nil) {
    case (true, true): remove(at: index)
    case (true, false): self[index] = attribute
    case (false, true): break
    case (false, false): insert(attribute, at: index)
    }
  }
}

/// An item with everything that a diff or a snapshot contains about it.
///
/// In the daemon `face` is the true face, and `visibility` limits who may receive it; the encoding for a viewer omits a
/// hidden face. In a client `visibility` is `.nobody` for an item that was received without its face.
public struct Item: Hashable, Sendable {
  /// The item's id.
  public var id: ItemID
  /// The collection that the item is in.
  public var collection: CollectionHandle
  /// The item's content; empty if it is hidden from this viewer.
  public var face: Face
  /// The viewers that may see the face.
  public var visibility: FaceVisibility
  /// Whether the item is pinned, so that it cannot be moved.
  public var isPinned: Bool
  /// The collection that the item opens; ``CollectionHandle/none`` for most items.
  public var opens: CollectionHandle
  /// The item that this one is an alias of, whose face it has; ``ItemID/none`` for an item of its own.
  public var aliasOf: ItemID

  /// Creates an item that everyone may see unless `visibility` says otherwise.
  public init(
    id: ItemID, collection: CollectionHandle, face: Face = Face(), visibility: FaceVisibility = .everyone,
    isPinned: Bool = false, opens: CollectionHandle = .none, aliasOf: ItemID = .none
  ) {
    self.opens = opens
    self.aliasOf = aliasOf
    self.id = id
    self.collection = collection
    self.face = face
    self.visibility = visibility
    self.isPinned = isPinned
  }
}

/// An item that a client inserts. The daemon assigns its id.
public struct NewItem: Hashable, Sendable {
  /// The item's content.
  public var face: Face

  /// Creates an item with the face of these attributes and representations.
  public init(attributes: [Attribute] = [], representations: [Representation] = []) {
    face = Face(attributes: attributes, representations: representations)
  }

  /// Creates an item with this face.
  public init(face: Face) { self.face = face }
}
