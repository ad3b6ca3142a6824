/// A named fact about an item, a collection or a table: `rank=6`, `suit=hearts`.
public struct Attribute: Hashable, Sendable {
  public var name: String
  /// `nil` deletes the attribute in an update; it never stands in a state.
  public var value: AttributeValue?

  public init(name: String, value: AttributeValue?) {
    self.name = name
    self.value = value
  }

  public init(_ name: String, _ number: Int64) { self.init(name: name, value: .number(number)) }
  public init(_ name: String, _ text: String) { self.init(name: name, value: .text(text)) }
}

/// What an attribute holds.
public enum AttributeValue: Hashable, Sendable {
  case number(Int64)
  case text(String)
}

/// One form of an item's content, as a `Transferable` would offer it.
public struct Representation: Hashable, Sendable {
  /// A media type or uniform type identifier, such as `text/plain`.
  public var contentType: String
  public var data: [UInt8]

  public init(contentType: String, data: [UInt8]) {
    self.contentType = contentType
    self.data = data
  }
}

/// What is on an item: everything about it that can be hidden.
public struct Face: Hashable, Sendable {
  /// Ascending by the UTF-8 of their names, no name twice.
  public private(set) var attributes: [Attribute]
  /// Most preferred first.
  public var representations: [Representation]

  /// A face of `attributes` in any order; of several with one name the last counts, one without a value is left out.
  public init(attributes: [Attribute] = [], representations: [Representation] = []) {
    self.attributes = []
    self.representations = representations
    self.attributes.reserveCapacity(attributes.count)
    for attribute in attributes { set(attribute) }
  }

  /// The value of the attribute `name`, if there is one.
  ///
  /// - Complexity: O(number of attributes), of which there are few.
  public subscript(name: String) -> AttributeValue? {
    for attribute in attributes where attribute.name == name { return attribute.value }
    return nil
  }

  /// Sets, replaces or (without a value) deletes one attribute.
  public mutating func set(_ attribute: Attribute) { attributes.merge(attribute) }

  /// What its texts and data take, in bytes, with some for each of them: as a measure, and not less than on the wire.
  ///
  /// - Complexity: O(number of attributes and representations).
  public var contentBytes: Int {
    attributes.reduce(0) { $0 + $1.contentBytes }
      + representations.reduce(0) { $0 + $1.contentType.utf8.count + $1.data.count + TableLimits.partContentBytes }
  }
}

extension Attribute {
  /// As ``Face/contentBytes``.
  public var contentBytes: Int {
    switch value {
    case .text(let text)?: name.utf8.count + text.utf8.count + TableLimits.partContentBytes
    case .number?, nil: name.utf8.count + TableLimits.partContentBytes
    }
  }
}

extension [Attribute] {
  /// Sets, replaces or (without a value) deletes one attribute in a list that ascends by name.
  mutating func merge(_ attribute: Attribute) {
    // By bytes, as every language can; Swift's own order is that of Unicode's equivalences.
    let name = attribute.name.utf8
    let place = firstIndex { !$0.name.utf8.lexicographicallyPrecedes(name) } ?? count
    let exists = place < count && self[place].name.utf8.elementsEqual(name)
    switch (exists, attribute.value == nil) {
    case (true, true): remove(at: place)
    case (true, false): self[place] = attribute
    case (false, true): break
    case (false, false): insert(attribute, at: place)
    }
  }
}

/// Who may see a face.
public enum Sight: Hashable, Sendable, BitwiseCopyable {
  case everyone
  case nobody
  case seat(SeatNumber)

  /// Whether `viewer` may see the face.
  public func includes(_ viewer: SeatNumber) -> Bool {
    switch self {
    case .everyone: true
    case .nobody: false
    case .seat(let seat): seat == viewer && viewer != .spectator
    }
  }
}

/// An item with all that a diff or a snapshot says of it.
///
/// In the daemon `face` is the truth and `sight` says who may have it; what is encoded for a viewer leaves a hidden face
/// out. In a client `sight` is `.nobody` for an item that came without its face.
public struct Item: Hashable, Sendable {
  public var id: ItemID
  public var collection: CollectionHandle
  public var face: Face
  public var sight: Sight
  public var isPinned: Bool

  public init(
    id: ItemID, collection: CollectionHandle, face: Face = Face(), sight: Sight = .everyone, isPinned: Bool = false
  ) {
    self.id = id
    self.collection = collection
    self.face = face
    self.sight = sight
    self.isPinned = isPinned
  }
}

/// An item that a client brings: its id comes from the daemon.
public struct NewItem: Hashable, Sendable {
  public var face: Face

  public init(attributes: [Attribute] = [], representations: [Representation] = []) {
    face = Face(attributes: attributes, representations: representations)
  }

  public init(face: Face) { self.face = face }
}
