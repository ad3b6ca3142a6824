import BaizeSync
import BaizeTable
import BaizeTransport
import Synchronization

/// The number of connections to tables, in total and per address, and of the operator's WebSockets. It is used only when a
/// connection is accepted or closed. Requests over HTTP have places of their own (``HTTPPlaces``).
final class ConnectionLimiter: Sendable {
  private struct Counts {
    var all = 0
    var operators = 0
    var byAddress: [SocketAddress.Host: Int] = [:]
    var reports = ReportLimit<SocketAddress.Host>()
    var sharesExceeded = 0
  }

  private let counts = Mutex(Counts())
  let connectionsMax: Int
  /// The number of connections at the address for browsers that are no WebSockets.
  let httpConnectionsMax: Int
  private let perAddressMax: Int
  private let exemptsLoopback: Bool
  private let log: Log?

  init(
    connectionsMax: Int, perAddressMax: Int?, httpConnectionsMax: Int = ServerLimits.httpConnectionsMax, log: Log? = nil
  ) {
    self.log = log
    self.connectionsMax = connectionsMax
    self.httpConnectionsMax = httpConnectionsMax
    self.perAddressMax = perAddressMax ?? ServerLimits.connectionsPerAddressMax
    exemptsLoopback = perAddressMax == nil
  }

  /// Those who do not take each other's connections.
  enum Account: Sendable {
    case clients
    /// Those who came with a ticket of the operator.
    case operators
  }

  enum Verdict {
    case admitted
    case tooMany
    case tooManyOfAddress
  }

  /// Counts a connection if the limits allow it.
  func admit(_ peer: SocketAddress, for account: Account = .clients) -> Verdict {
    guard case .clients = account else { return admitOperator() }
    let address = peer.host.counted
    let isBounded = !(exemptsLoopback && peer.isLoopback)
    let verdict: Verdict = counts.withLock { counts in
      guard counts.all < connectionsMax else { return .tooMany }
      let present = counts.byAddress[address, default: 0]
      guard present < perAddressMax || !isBounded else { return .tooManyOfAddress }
      counts.all += 1
      counts.byAddress[address] = present + 1
      return .admitted
    }
    if verdict == .tooManyOfAddress { report(address) }
    return verdict
  }

  /// The number of times that an address had as many connections as it may have, as logged.
  var sharesExceeded: Int { counts.withLock { $0.sharesExceeded } }

  private func report(_ address: SocketAddress.Host) {
    let isNew = counts.withLock { counts in
      guard counts.reports.admits(address, at: Instant(nanoseconds: MonotonicClock.now())) else { return false }
      counts.sharesExceeded += 1
      return true
    }
    guard isNew else { return }
    log?(
      .warning,
      "\(PressureReport.text(address)) has as many connections as one address may have (see --connections-per-address-max)"
    )
  }

  private func admitOperator() -> Verdict {
    counts.withLock { counts in
      guard counts.operators < ServerLimits.adminConnectionsMax else { return .tooMany }
      counts.operators += 1
      return .admitted
    }
  }

  /// Counts a proxy's connection, whose client is not known yet, if the total allows it.
  func admitUnidentified() -> Bool {
    counts.withLock { counts in
      guard counts.all < connectionsMax else { return false }
      counts.all += 1
      return true
    }
  }

  /// Stops counting a connection whose client did not become known, or is counted next.
  func releaseUnidentified() { counts.withLock { $0.all -= 1 } }

  /// Returns the number of connections, and those of the addresses that have the most.
  ///
  /// - Complexity: O(number of addresses).
  func largest(_ count: Int) -> (all: Int, byAddress: [(host: SocketAddress.Host, connections: Int)]) {
    counts.withLock { counts in
      var largest = TopList<(host: SocketAddress.Host, connections: Int)>(count) { $0.connections > $1.connections }
      for (host, connections) in counts.byAddress { largest.insert((host, connections)) }
      return (counts.all, largest.all)
    }
  }

  /// Stops counting an admitted connection.
  func release(_ host: SocketAddress.Host, from account: Account = .clients) {
    let address = host.counted
    counts.withLock { counts in
      guard case .clients = account else {
        counts.operators -= 1
        return
      }
      counts.all -= 1
      let present = counts.byAddress[address, default: 0]
      counts.byAddress[address] = present > 1 ? present - 1 : nil
    }
  }
}

extension SocketAddress.Host {
  /// Returns the address, or network, of an account in the machine; `nil` for the account that others share.
  init?(_ peer: PeerID) {
    guard peer != .unknown else { return nil }
    self =
      peer.high == 0 && peer.low >> 32 == 0xFFFF
      ? .v4(UInt32(truncatingIfNeeded: peer.low)) : .v6(high: peer.high, low: peer.low, scope: 0)
  }

  /// The account of the address in the machine.
  var peerID: PeerID {
    switch counted {
    case .v4(let address): PeerID(high: 0, low: 0xFFFF << 32 | UInt64(address))
    case .v6(let high, let low, _): PeerID(high: high, low: low)
    }
  }

  /// The address to count by: of IPv6 the first half, which an operator assigns to one customer.
  var counted: SocketAddress.Host {
    switch self {
    case .v4: self
    case .v6(let high, let low, _): high == 0 ? .v6(high: 0, low: low, scope: 0) : .v6(high: high, low: 0, scope: 0)
    }
  }
}
