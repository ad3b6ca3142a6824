import BaizeTransport

/// The places of an HTTP address, each taken by a connection: a newcomer gets one in any case. Where none is free for it,
/// the connection whose last request is the longest ago gives its place up.
///
/// ```
/// a newcomer ─▶ its address has as many places as are free? ─▶ the address's own longest resting connection gives way
///            └▶ no place is free?                           ─▶ the longest resting one of all
/// ```
///
/// So one address has at most half of the places, two have two thirds, and nobody waits behind connections that rest.
struct HTTPPlaces {
  /// A connection's neighbors among all connections, and among those of its address: the longest resting one is first.
  private struct Links {
    var host: SocketAddress.Host?
    var inAll = Link()
    var inAddress = Link()
  }

  private struct Link {
    var previous: Int?
    var next: Int?
  }

  private struct List {
    var first: Int?
    var last: Int?
    var count = 0
  }

  private let count: Int
  /// The most places of one address; `nil` for as many as are free.
  private let perAddressMax: Int?
  /// Whether an address may have no more places than are free.
  private let isShared: Bool
  private var all = List()
  private var byAddress: [SocketAddress.Host: List] = [:]
  /// By the connection's slot.
  private var links: [Links] = []

  init(_ count: Int, perAddressMax: Int? = nil, isShared: Bool = true) {
    (self.count, self.perAddressMax, self.isShared) = (max(1, count), perAddressMax, isShared)
  }

  /// The number of taken places.
  var taken: Int { all.count }

  /// Returns the slot of the connection that gives its place up for a newcomer; `nil` if none has to.
  ///
  /// - Complexity: O(1), as everything here.
  func successorOf(newcomer host: SocketAddress.Host) -> Int? {
    let own = byAddress[host.counted] ?? List()
    let free = count - all.count
    if own.count > 0, own.count >= perAddressMax ?? .max || isShared && own.count >= free { return own.first }
    return free > 0 ? nil : all.first
  }

  /// Gives a place to a connection.
  mutating func take(_ slot: Int, _ host: SocketAddress.Host) {
    while links.count <= slot { links.append(Links()) }
    links[slot].host = host.counted
    Self.append(slot, to: &all, &links, \.inAll)
    Self.append(slot, to: &byAddress[host.counted, default: List()], &links, \.inAddress)
  }

  /// Notes a request of a connection: it rests for a shorter time than all others.
  mutating func touch(_ slot: Int) {
    guard links.indices.contains(slot), let host = links[slot].host else { return }
    leave(slot)
    take(slot, host)
  }

  /// Frees a connection's place, if it has one.
  mutating func leave(_ slot: Int) {
    guard links.indices.contains(slot), let host = links[slot].host else { return }
    links[slot].host = nil
    Self.remove(slot, from: &all, &links, \.inAll)
    Self.remove(slot, from: &byAddress[host, default: List()], &links, \.inAddress)
    if byAddress[host]?.count == 0 { byAddress[host] = nil }
  }

  private static func append(
    _ slot: Int, to list: inout List, _ links: inout [Links], _ link: WritableKeyPath<Links, Link>
  ) {
    links[slot][keyPath: link] = Link(previous: list.last)
    if let last = list.last { links[last][keyPath: link].next = slot } else { list.first = slot }
    list.last = slot
    list.count += 1
  }

  private static func remove(
    _ slot: Int, from list: inout List, _ links: inout [Links], _ link: WritableKeyPath<Links, Link>
  ) {
    let own = links[slot][keyPath: link]
    if let previous = own.previous { links[previous][keyPath: link].next = own.next } else { list.first = own.next }
    if let next = own.next { links[next][keyPath: link].previous = own.previous } else { list.last = own.previous }
    links[slot][keyPath: link] = Link()
    list.count -= 1
  }
}
