/// A map from the keys of items to their slots, for table types that have keys: open addressing with linear probing and
/// backward-shift deletion, as in ``ItemIndex``.
///
/// It keeps the hashes of the keys, which are in the faces. Clients choose keys: the hash is keyed, so that they cannot choose
/// colliding ones.
struct KeyIndex: Sendable {
  private struct Entry {
    var hash: UInt64
    var slot: Int32
  }

  /// The attribute that is the key.
  let attribute: String
  private let hash: SipHash
  private var entries: [Entry] = []
  private var count = 0

  init(of attribute: String, seed: UInt64) {
    self.attribute = attribute
    hash = SipHash(k0: seed, k1: ~seed)
  }

  private static let free = Entry(hash: 0, slot: -1)

  /// The memory of the map in bytes.
  var memoryBytes: Int { entries.capacity * MemoryLayout<Entry>.stride }

  /// Returns the slot of the item with a key, or −1.
  ///
  /// - Complexity: O(1) expected.
  func slot(of key: AttributeValue, in faces: PagedArray<Face>) -> Int32 {
    guard count > 0 else { return -1 }
    let hash = hash(key)
    var index = home(of: hash)
    while entries[index].slot >= 0 {
      let entry = entries[index]
      if entry.hash == hash, faces[entry.slot][attribute] == key { return entry.slot }
      index = (index + 1) & (entries.count - 1)
    }
    return -1
  }

  /// Adds the key of a face, if it has one.
  mutating func insert(_ face: Face, slot: Int32) {
    guard let key = face[attribute] else { return }
    if (count + 1) * 2 > entries.count { grow() }
    store(Entry(hash: hash(key), slot: slot))
    count += 1
  }

  /// Removes the key of a face that is in the map with this slot, if it has one.
  mutating func remove(_ face: Face, slot: Int32) {
    guard let key = face[attribute] else { return }
    let mask = entries.count - 1
    var hole = home(of: hash(key))
    while entries[hole].slot != slot {
      precondition(entries[hole].slot >= 0, "no key at slot \(slot)")
      hole = (hole + 1) & mask
    }
    // Moves entries that probed past the hole into it, so that no probe ends early.
    var next = (hole + 1) & mask
    while entries[next].slot >= 0 {
      let distance = (next - home(of: entries[next].hash)) & mask
      if distance >= (next - hole) & mask {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    entries[hole] = Self.free
    count -= 1
  }

  /// Returns the map without its entries, for a copy of the state that only reads.
  func emptied() -> KeyIndex {
    var emptied = self
    (emptied.entries, emptied.count) = ([], 0)
    return emptied
  }

  private func home(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (entries.count - 1) }

  private mutating func store(_ entry: Entry) {
    var index = home(of: entry.hash)
    while entries[index].slot >= 0 { index = (index + 1) & (entries.count - 1) }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Self.free, count: max(16, old.count * 2))
    for entry in old where entry.slot >= 0 { store(entry) }
  }

  private func hash(_ key: AttributeValue) -> UInt64 {
    switch key {
    case .number(let number): hash(UInt64(bitPattern: number))
    case .text(let text): hash(text.utf8)
    }
  }
}
