import BaizeTable
import BaizeWire

/// A view of a table kept in the dullest way, by the rules of `Protocol/README.md` alone: lists of items, and a hash that
/// is computed from scratch. What the clever one says must be what this one says.
struct ReferenceView {
  private(set) var revision: UInt64 = 0
  /// In handle order.
  private(set) var collections: [[Item]] = []
  /// The number of items in each collection that the viewer does not receive.
  private var hiddenCounts: [Int] = []
  private var isEnabled: [Bool] = []
  private(set) var status = ""
  private var variables: [String: AttributeValue] = [:]
  private var seats: [Seat] = []

  struct Mismatch: Error {
    let why: String
  }

  mutating func receive(_ message: ServerMessage) throws(Mismatch) {
    switch message {
    case .snapshot(let part): try load(part)
    case .diff(let diff):
      guard diff.revision.rawValue == revision + 1 else { throw Mismatch(why: "a gap before \(diff.revision)") }
      for change in diff.changes { try apply(change) }
      revision = diff.revision.rawValue
    case .welcome, .outcome, .drag, .pong, .seats, .goodbye, .unknown: break
    }
  }

  /// S1, S2.
  private mutating func load(_ part: SnapshotPart) throws(Mismatch) {
    if part.isFirst {
      self = ReferenceView()
      collections = part.collections.map { _ in [] }
      hiddenCounts = part.collections.map { Int($0.count) }
      isEnabled = part.collections.map(\.isEnabled)
      status = part.status
      set(part.variables)
      seats = part.seats
    }
    revision = part.revision.rawValue
    for item in part.items {
      collections[try index(item.collection)].append(item)
      hiddenCounts[try index(item.collection)] -= 1
    }
  }

  private mutating func apply(_ change: Change) throws(Mismatch) {
    switch change {
    case .moved(let ids, let destination):
      var block: [Item] = []
      for id in ids { block.append(try take(id)) }
      try put(block, at: destination)
    case .inserted(let items, let destination): try put(items, at: destination)
    case .removed(let ids): for id in ids { _ = try take(id) }
    case .faced(let items):
      for item in items {
        let (collection, position) = try find(item.id)
        collections[collection][position] = item
      }
    case .status(let status): self.status = status
    case .enabled(let collection, let isEnabled): self.isEnabled[try index(collection)] = isEnabled
    case .counted(let collection, let count):
      guard collections[try index(collection)].isEmpty else { throw Mismatch(why: "a count of a visible collection") }
      hiddenCounts[try index(collection)] = count
    case .variables(let variables): set(variables)
    case .seats(let seats): self.seats = seats
    }
  }

  private mutating func set(_ attributes: [Attribute]) {
    for attribute in attributes { variables[attribute.name] = attribute.value }
  }

  private func index(_ handle: CollectionHandle) throws(Mismatch) -> Int {
    let index = Int(handle.rawValue) - 1
    guard collections.indices.contains(index) else { throw Mismatch(why: "collection \(handle.rawValue)") }
    return index
  }

  private func find(_ id: ItemID) throws(Mismatch) -> (collection: Int, position: Int) {
    for (collection, items) in collections.enumerated() {
      if let position = items.firstIndex(where: { $0.id == id }) { return (collection, position) }
    }
    throw Mismatch(why: "item \(id.rawValue) is not there")
  }

  private mutating func take(_ id: ItemID) throws(Mismatch) -> Item {
    let (collection, position) = try find(id)
    return collections[collection].remove(at: position)
  }

  private mutating func put(_ items: [Item], at destination: Destination) throws(Mismatch) {
    let collection = try index(destination.collection)
    let anchor = destination.position.anchor
    let position = anchor == .none ? collections[collection].count : try find(anchor).position
    collections[collection].insert(contentsOf: items, at: position)
  }
}

// MARK: - The hash (V1–V6)

extension ReferenceView {
  func hash() -> UInt64 {
    var bytes: [UInt8] = []
    for ((items, hiddenCount), isEnabled) in zip(zip(collections, hiddenCounts), isEnabled) {
      bytes.append(isEnabled ? 1 : 0)
      bytes += Self.word(UInt64(items.count + hiddenCount))
      bytes += Self.word(items.reduce(0 as UInt64) { Self.order($0, $1.id.rawValue) })
    }
    bytes += Self.word(collections.joined().reduce(0 as UInt64) { $0 &+ Self.face($1) })
    bytes += Self.text(status)
    bytes += Self.attributes(variables.map { Attribute(name: $0.key, value: $0.value) })
    bytes += Self.word(UInt64(seats.count))
    for seat in seats.sorted(by: { $0.number < $1.number }) {
      bytes += Self.word(UInt64(seat.number.rawValue)) + Self.word(seat.session.rawValue) + Self.text(seat.name)
    }
    return Self.byteHash(bytes)
  }

  private static func mix(_ word: UInt64) -> UInt64 {
    var word = word
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }

  private static func byteHash(_ bytes: [UInt8]) -> UInt64 {
    mix(bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
  }

  /// One step of the order hash, by division.
  private static func order(_ hash: UInt64, _ id: UInt64) -> UInt64 {
    let prime: UInt64 = (1 << 61) - 1
    let product = hash.multipliedFullWidth(by: 0x1415_9265_3589_7932)
    let shifted = prime.dividingFullWidth(product).remainder
    return (shifted + mix(id) % prime) % prime
  }

  private static func face(_ item: Item) -> UInt64 {
    let isSeen = item.visibility != .nobody
    var bytes = word(item.id.rawValue)
    bytes.append((isSeen ? 1 : 0) + (item.isPinned ? 2 : 0))
    if isSeen {
      bytes += attributes(item.face.attributes)
      bytes += word(UInt64(item.face.representations.count))
      for representation in item.face.representations {
        bytes += text(representation.contentType)
        bytes += word(UInt64(representation.data.count)) + representation.data
      }
    }
    return byteHash(bytes)
  }

  private static func attributes(_ attributes: [Attribute]) -> [UInt8] {
    let sorted = attributes.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    return sorted.reduce(word(UInt64(attributes.count))) { bytes, attribute in
      switch attribute.value {
      case nil: bytes + text(attribute.name) + [0]
      case .number(let number): bytes + text(attribute.name) + [1] + word(UInt64(bitPattern: number))
      case .text(let value): bytes + text(attribute.name) + [2] + text(value)
      }
    }
  }

  private static func text(_ text: String) -> [UInt8] { word(UInt64(text.utf8.count)) + Array(text.utf8) }

  private static func word(_ word: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
}
