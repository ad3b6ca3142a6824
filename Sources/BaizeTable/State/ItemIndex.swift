/// A map from an item's id to its slot: open addressing with linear probing and backward-shift deletion (D. Knuth, "The
/// Art of Computer Programming", vol. 3, 6.4, algorithm R).
///
/// The daemon assigns the ids, so no client can choose colliding ones for others; a client trusts its daemon for this. The
/// standard library's keyed hash would dominate the cost of a lookup.
struct ItemIndex: Sendable {
  private struct Entry {
    var id: UInt64
    var slot: Int32
  }

  private var entries: [Entry]
  private(set) var count = 0

  init() { entries = Array(repeating: Self.free, count: 16) }

  private static let free = Entry(id: 0, slot: -1)

  /// Returns the slot of an item, or −1.
  ///
  /// - Complexity: O(1) expected.
  @inline(__always) func slot(of id: ItemID) -> Int32 {
    guard id.rawValue != 0 else { return -1 }
    let mask = entries.count - 1
    var index = home(of: id.rawValue)
    while true {
      let entry = entries[index]
      if entry.id == id.rawValue || entry.slot < 0 { return entry.slot }
      index = (index + 1) & mask
    }
  }

  /// Adds an id that is not in the map.
  mutating func insert(_ id: ItemID, slot: Int32) {
    precondition(id != .none && slot >= 0, "no entry for id \(id.rawValue) at slot \(slot)")
    if (count + 1) * 2 > entries.count { grow() }
    store(Entry(id: id.rawValue, slot: slot))
    count += 1
  }

  /// Removes an id that is in the map.
  mutating func remove(_ id: ItemID) {
    let mask = entries.count - 1
    var hole = home(of: id.rawValue)
    while entries[hole].id != id.rawValue {
      precondition(entries[hole].slot >= 0, "no entry for id \(id.rawValue)")
      hole = (hole + 1) & mask
    }
    // Moves entries that probed past the hole into it, so that no probe ends early.
    var next = (hole + 1) & mask
    while entries[next].slot >= 0 {
      let distance = (next - home(of: entries[next].id)) & mask
      if distance >= (next - hole) & mask {
        entries[hole] = entries[next]
        hole = next
      }
      next = (next + 1) & mask
    }
    entries[hole] = Self.free
    count -= 1
  }

  private func home(of id: UInt64) -> Int {
    Int(truncatingIfNeeded: (id &* 0x9E37_79B9_7F4A_7C15) >> 20) & (entries.count - 1)
  }

  private mutating func store(_ entry: Entry) {
    let mask = entries.count - 1
    var index = home(of: entry.id)
    while entries[index].slot >= 0 {
      precondition(entries[index].id != entry.id, "id \(entry.id) is there already")
      index = (index + 1) & mask
    }
    entries[index] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Self.free, count: old.count * 2)
    for entry in old where entry.slot >= 0 { store(entry) }
  }
}
