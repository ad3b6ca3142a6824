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
  static func run(
    _ endpoint: HTTPEndpoint, for shards: [ShardEndpoint], _ configuration: ServerConfiguration,
    _ limiter: ConnectionLimiter, _ account: MemoryAccount
  ) {
    if let http = configuration.http {
      do {
        let access = HTTPAccess(listening: http.hostName, hosts: http.hosts, origins: http.origins)
        let service = try HTTPService(
          endpoint, WebRoutes(access), at: http.address, limiter, proxies: configuration.proxies,
          requestSeconds: configuration.limits.connections.handshakeSeconds, selector: configuration.selector,
          configuration.log
        ) { bytes in
          account.chargeHTTP(bytes) >= .shedding
        } handOver: { connection, peer in
          shards[0].mailbox.send(.adopt(connection, peer: peer, .webSocket))
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
