/// A growing list of connections in memory of its own.
///
/// An array that a class holds costs a uniqueness check and an exclusivity check for each `append`; the list of
/// connections to flush has one for each connection in each turn.
final class ConnectionList {
  private var keys: UnsafeMutablePointer<ConnectionKey>
  private var capacity = 64
  private(set) var count = 0

  init() {
    keys = .allocate(capacity: capacity)
  }

  deinit {
    keys.deallocate()
  }

  @inline(__always)
  subscript(index: Int) -> ConnectionKey {
    precondition(index < count, "index \(index) of \(count) connections")
    return keys[index]
  }

  /// O(1), amortised.
  @inline(__always)
  func append(_ key: ConnectionKey) {
    if count == capacity { grow() }
    (keys + count).initialize(to: key)
    count &+= 1
  }

  func removeAll() {
    count = 0
  }

  /// Removes the first `removed` connections, and of the others those for which `isRemoved` returns `true`.
  ///
  /// - Complexity: O(``count``).
  func removeAll(from removed: Int, where isRemoved: (ConnectionKey) -> Bool) {
    var kept = 0
    for index in removed..<count where !isRemoved(keys[index]) {
      keys[kept] = keys[index]
      kept += 1
    }
    count = kept
  }

  @inline(never)
  private func grow() {
    let larger = UnsafeMutablePointer<ConnectionKey>.allocate(capacity: 2 * capacity)
    larger.moveInitialize(from: keys, count: count)
    keys.deallocate()
    keys = larger
    capacity *= 2
  }
}
