import BaizeSystem

/// poll(2), which every Unix has. The cost of a wait grows with the number of watched descriptors.
final class PollSelector {
  private var watched: [pollfd] = []
  /// The key of each entry of `watched`.
  private var keys: [UInt64] = []
  /// The index in `watched` of each descriptor, by its number; -1 for one that is not watched.
  private var indices: [Int32] = []
  private var ready: [SelectorEvent] = []

  func add(_ descriptor: Int32, key: UInt64, _ interest: Interest) {
    let index = Int(descriptor)
    if index >= indices.count {
      indices.append(contentsOf: repeatElement(-1, count: index + 1 - indices.count))
    }
    indices[index] = Int32(watched.count)
    watched.append(pollfd(fd: descriptor, events: Self.bits(interest), revents: 0))
    keys.append(key)
  }

  func change(_ descriptor: Int32, _ interest: Interest) {
    guard let index = index(of: descriptor) else { return }
    watched[index].events = Self.bits(interest)
  }

  func remove(_ descriptor: Int32) {
    guard let index = index(of: descriptor) else { return }
    // The last one moves into the gap.
    indices[Int(watched[watched.count - 1].fd)] = Int32(index)
    indices[Int(descriptor)] = -1
    watched.swapAt(index, watched.count - 1)
    keys.swapAt(index, keys.count - 1)
    watched.removeLast()
    keys.removeLast()
  }

  func wait(milliseconds: Int32) throws(SystemError) -> Int {
    ready.removeAll(keepingCapacity: true)
    let count = try SystemCall.require("poll") { poll(&watched, nfds_t(watched.count), milliseconds) }
    var left = Int(count)
    var index = 0
    while left > 0, index < watched.count {
      let bits = watched[index].revents
      if bits != 0 {
        ready.append(SelectorEvent(key: keys[index], readiness: Self.readiness(bits)))
        left -= 1
      }
      index += 1
    }
    return ready.count
  }

  func event(at index: Int) -> SelectorEvent {
    ready[index]
  }

  private func index(of descriptor: Int32) -> Int? {
    let index = Int(descriptor)
    guard index < indices.count, indices[index] >= 0 else { return nil }
    return Int(indices[index])
  }

  private static func bits(_ interest: Interest) -> Int16 {
    var bits: Int16 = 0
    if interest.contains(.read) { bits |= Int16(POLLIN) }
    if interest.contains(.write) { bits |= Int16(POLLOUT) }
    return bits
  }

  private static func readiness(_ bits: Int16) -> Readiness {
    var readiness: Readiness = []
    if bits & Int16(POLLIN) != 0 { readiness.insert(.read) }
    if bits & Int16(POLLOUT) != 0 { readiness.insert(.write) }
    if bits & Int16(POLLHUP) != 0 { readiness.insert(.hangUp) }
    if bits & (Int16(POLLERR) | Int16(POLLNVAL)) != 0 { readiness.insert(.error) }
    return readiness
  }
}
