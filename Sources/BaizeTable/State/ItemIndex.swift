/// From an item's id to its slot: open addressing with linear probing and backward-shift deletion (D. Knuth, "The Art of
/// Computer Programming", vol. 3, 6.4, algorithm R).
///
/// The table's ids come from the daemon, so no one can choose colliding ones, and the standard library's keyed hash would
/// be the larger part of a look-up.
struct ItemIndex: Sendable {
  private struct Entry {
    var id: UInt64
    var slot: Int32
  }

  private var entries: [Entry]
  private(set) var count = 0

  init() { entries = Array(repeating: Self.free, count: 16) }

  private static let free = Entry(id: 0, slot: -1)

  /// The slot of the item `id`, or −1.
  ///
  /// - Complexity: O(1) expected.
  func slot(of id: ItemID) -> Int32 {
    guard id.rawValue != 0 else { return -1 }
    let mask = entries.count - 1
    var place = home(of: id.rawValue)
    while true {
      let entry = entries[place]
      if entry.id == id.rawValue || entry.slot < 0 { return entry.slot }
      place = (place + 1) & mask
    }
  }

  /// Adds an id that is not there yet.
  mutating func insert(_ id: ItemID, slot: Int32) {
    precondition(id != .none && slot >= 0, "no entry for id \(id.rawValue) at slot \(slot)")
    if (count + 1) * 2 > entries.count { grow() }
    place(Entry(id: id.rawValue, slot: slot))
    count += 1
  }

  /// Removes an id that is there.
  mutating func remove(_ id: ItemID) {
    let mask = entries.count - 1
    var hole = home(of: id.rawValue)
    while entries[hole].id != id.rawValue {
      precondition(entries[hole].slot >= 0, "no entry for id \(id.rawValue)")
      hole = (hole + 1) & mask
    }
    // Whoever probed past the hole moves into it, so that no probe ends early.
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

  private mutating func place(_ entry: Entry) {
    let mask = entries.count - 1
    var place = home(of: entry.id)
    while entries[place].slot >= 0 {
      precondition(entries[place].id != entry.id, "id \(entry.id) is there already")
      place = (place + 1) & mask
    }
    entries[place] = entry
  }

  private mutating func grow() {
    let old = entries
    entries = Array(repeating: Self.free, count: old.count * 2)
    for entry in old where entry.slot >= 0 { place(entry) }
  }
}
