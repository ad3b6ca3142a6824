import BaizeTable

/// The table types that a shard's tables have, each charged once, however many tables have it.
struct ChargedTypes {
  /// The number of tables of each type. The tables keep the types alive, so that an identifier is no other type's meanwhile.
  private var counts: [ObjectIdentifier: Int] = [:]
  /// The approximate memory of all types, in bytes.
  private(set) var memoryBytes = 0

  mutating func insert(_ type: TableType) {
    let count = counts[ObjectIdentifier(type), default: 0]
    if count == 0 { memoryBytes += type.memoryBytes }
    counts[ObjectIdentifier(type)] = count + 1
  }

  mutating func remove(_ type: TableType) {
    guard let count = counts[ObjectIdentifier(type)] else { return }
    counts[ObjectIdentifier(type)] = count > 1 ? count - 1 : nil
    if count == 1 { memoryBytes -= type.memoryBytes }
  }
}
