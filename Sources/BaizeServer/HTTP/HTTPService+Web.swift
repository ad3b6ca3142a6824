import BaizeHTTP
import BaizeSync
import BaizeTable
public import BaizeTransport

/// The reason why the daemon cannot serve HTTP.
public struct HTTPListenError: Error, CustomStringConvertible {
  /// The address that it was to listen at.
  public let address: SocketAddress
  /// The error, mostly a `SystemError`.
  public let reason: any Error

  public var description: String { "cannot serve HTTP on \(address): \(reason)" }
}

extension HTTPService<WebRoutes> {
  /// Runs the body of the thread of the daemon's HTTP address.
  ///
  /// - Parameters:
  ///   - address: The address to listen at, or with TLS the one that is listened at.
  ///   - types: The operator's own table types.
  static func run(
    _ endpoint: HTTPEndpoint, at address: SocketAddress, for shards: [ShardEndpoint],
    _ configuration: ServerConfiguration, _ types: OfferedTypes, _ limiter: ConnectionLimiter, _ account: MemoryAccount
  ) {
    if let http = configuration.http {
      do {
        let access = HTTPAccess(listening: http.hostName, hosts: http.hosts, origins: http.origins)
        let places = HTTPPlaces(limiter.httpConnectionsMax, perAddressMax: configuration.connectionsPerAddressMax)
        let times = HTTPTimes(requestSeconds: configuration.limits.connections.handshakeSeconds)
        let service = try HTTPService(
          endpoint, WebRoutes(access, types), at: address, (strangers: places, authorized: HTTPPlaces(1)),
          (strangers: times, authorized: times), hasTLS: configuration.tls != nil, proxies: configuration.proxies,
          selector: configuration.selector,
          configuration.log
        ) { bytes in
          account.chargeHTTP(bytes) >= .shedding
        } admit: { peer in
          limiter.admit(peer) == .admitted
        } handOver: { connection, peer in
          guard let connection else { return limiter.release(peer.host) }
          shards[0].mailbox.send(.adopt(connection, peer: peer, .webSocket, .clients))
        }
        service.serve()
      } catch {
        endpoint.started.resolve(.failure(error))
      }
    }
    endpoint.ended.resolve(())
  }
}

extension HTTPConfiguration {
  /// The address as it is in `Host`; `nil` for all addresses of the machine.
  var hostName: String? {
    switch address.host {
    case .v4(0), .v6(high: 0, low: 0, scope: _): nil
    case .v4: address.hostText
    case .v6: "[\(address.hostText)]"
    }
  }
}
