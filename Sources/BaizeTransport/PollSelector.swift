#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// poll(2): on every Unix, at a cost per wait that grows with the number of descriptors.
final class PollSelector {
  private var watched: [pollfd] = []
  /// The key of each entry of `watched`.
  private var keys: [UInt64] = []
  /// Where a descriptor stands in `watched`, by its number; -1 for one that is not watched.
  private var places: [Int32] = []
  private var ready: [SelectorEvent] = []

  func add(_ descriptor: Int32, key: UInt64, _ interest: Interest) {
    let index = Int(descriptor)
    if index >= places.count {
      places.append(contentsOf: repeatElement(-1, count: index + 1 - places.count))
    }
    places[index] = Int32(watched.count)
    watched.append(pollfd(fd: descriptor, events: Self.bits(interest), revents: 0))
    keys.append(key)
  }

  func change(_ descriptor: Int32, _ interest: Interest) {
    guard let place = place(of: descriptor) else { return }
    watched[place].events = Self.bits(interest)
  }

  func remove(_ descriptor: Int32) {
    guard let place = place(of: descriptor) else { return }
    // The last one moves into the gap.
    places[Int(watched[watched.count - 1].fd)] = Int32(place)
    places[Int(descriptor)] = -1
    watched.swapAt(place, watched.count - 1)
    keys.swapAt(place, keys.count - 1)
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

  private func place(of descriptor: Int32) -> Int? {
    let index = Int(descriptor)
    guard index < places.count, places[index] >= 0 else { return nil }
    return Int(places[index])
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
