import BaizeTable
import BaizeTransport
import Synchronization

/// Counts connections, in all and per address, for all shards: asked when one comes and when one goes, never between.
final class Census: Sendable {
  private struct Counts {
    var all = 0
    var byAddress: [SocketAddress.Host: Int] = [:]
  }

  private let counts = Mutex(Counts())
  let connectionsMax: Int
  private let perAddressMax: Int
  private let exemptsLoopback: Bool

  init(connectionsMax: Int, perAddressMax: Int?) {
    self.connectionsMax = connectionsMax
    self.perAddressMax = perAddressMax ?? ServerLimits.connectionsPerAddressMax
    exemptsLoopback = perAddressMax == nil
  }

  enum Answer {
    case welcome
    case tooMany
    case tooManyOfAddress
  }

  /// Counts a connection if there is room for it.
  func enter(_ peer: SocketAddress) -> Answer {
    let address = peer.host.counted
    let isBounded = !(exemptsLoopback && peer.isLoopback)
    return counts.withLock { counts in
      guard counts.all < connectionsMax else { return .tooMany }
      let present = counts.byAddress[address, default: 0]
      guard present < perAddressMax || !isBounded else { return .tooManyOfAddress }
      counts.all += 1
      counts.byAddress[address] = present + 1
      return .welcome
    }
  }

  /// A connection that was counted has gone.
  func leave(_ host: SocketAddress.Host) {
    let address = host.counted
    counts.withLock { counts in
      counts.all -= 1
      let present = counts.byAddress[address, default: 0]
      counts.byAddress[address] = present > 1 ? present - 1 : nil
    }
  }
}

extension SocketAddress.Host {
  /// What counts as one address: of IPv6 the half that an operator hands out to one customer.
  fileprivate var counted: SocketAddress.Host {
    switch self {
    case .v4: self
    case .v6(let high, let low, _): high == 0 ? .v6(high: 0, low: low, scope: 0) : .v6(high: high, low: 0, scope: 0)
    }
  }
}
