/// A map from an item's id to its slot: open addressing with linear probing and backward-shift deletion (D. Knuth, "The
/// Art of Computer Programming", vol. 3, 6.4, algorithm R).
///
/// The daemon assigns the ids, so no client can choose colliding ones for others; a client trusts its daemon for this. The
/// standard library's keyed hash would dominate the cost of a lookup.
struct ItemIndex: Sendable {
  /// The id is in two halves, so that an entry takes 12 bytes and not 16.
  private struct Entry {
    var (low, high): (UInt32, UInt32)
    var slot: Int32

    @inline(__always) init(id: UInt64, slot: Int32) {
      high = UInt32(truncatingIfNeeded: id >> 32)
      low = UInt32(truncatingIfNeeded: id)
      self.slot = slot
    }

    @inline(__always) var id: UInt64 { UInt64(high) << 32 | UInt64(low) }
  }

  private var entries: [Entry]
  private(set) var count = 0

  init() { entries = Array(repeating: Self.free, count: 16) }

  private static let free = Entry(id: 0, slot: -1)

  /// Makes room for the first ids of an empty map, and for no more, since many tables get no others.
  mutating func reserve(_ ids: Int) {
    let capacity = ids * 4 / 3 + 1
    if count == 0, capacity > entries.count { entries = Array(repeating: Self.free, count: capacity) }
  }

  /// Returns the slot of an item, or −1.
  ///
  /// - Complexity: O(1) expected.
  @inline(__always) func slot(of id: ItemID) -> Int32 {
    guard id.rawValue != 0 else { return -1 }
    var index = home(of: id.rawValue)
    while true {
      let entry = entries[index]
      if entry.id == id.rawValue || entry.slot < 0 { return entry.slot }
      index = next(index)
    }
  }

  /// Adds an id that is not in the map.
  mutating func insert(_ id: ItemID, slot: Int32) {
    precondition(id != .none && slot >= 0, "no entry for id \(id.rawValue) at slot \(slot)")
    if (count + 1) * 4 > entries.count * 3 { grow() }
    store(Entry(id: id.rawValue, slot: slot))
    count += 1
  }

  /// Removes an id that is in the map.
  mutating func remove(_ id: ItemID) {
    var hole = home(of: id.rawValue)
    while entries[hole].id != id.rawValue {
      precondition(entries[hole].slot >= 0, "no entry for id \(id.rawValue)")
      hole = next(hole)
    }
    // Moves entries that probed past the hole into it, so that no probe ends early.
    var index = next(hole)
    while entries[index].slot >= 0 {
      if distance(from: home(of: entries[index].id), to: index) >= distance(from: hole, to: index) {
        entries[hole] = entries[index]
        hole = index
      }
      index = next(index)
    }
    entries[hole] = Self.free
    count -= 1
  }

  /// Returns the index at which the search for an id begins: the high bits of the product, spread over all indices (D. Lemire,
  /// "Fast Random Integer Generation in an Interval", 2019).
  @inline(__always) private func home(of id: UInt64) -> Int {
    let hash = (id &* 0x9E37_79B9_7F4A_7C15) >> 32
    return Int(truncatingIfNeeded: (hash &* UInt64(truncatingIfNeeded: entries.count)) >> 32)
  }

  @inline(__always) private func next(_ index: Int) -> Int { index + 1 == entries.count ? 0 : index + 1 }

  private func distance(from start: Int, to end: Int) -> Int {
    end >= start ? end - start : end - start + entries.count
  }

  private mutating func store(_ entry: Entry) {
    var index = home(of: entry.id)
    while entries[index].slot >= 0 {
      precondition(entries[index].id != entry.id, "id \(entry.id) is there already")
      index = next(index)
    }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Self.free, count: old.count * 2)
    for entry in old where entry.slot >= 0 { store(entry) }
  }
}
