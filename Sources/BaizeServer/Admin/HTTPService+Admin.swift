import BaizeHTTP
import BaizeTable
import BaizeTransport

extension HTTPService<AdminRoutes> {
  /// Runs the body of the thread of the operator's address.
  static func run(
    _ endpoint: HTTPEndpoint, _ configuration: ServerConfiguration, _ daemon: AdminRoutes.AdminDaemon,
    handOver: @escaping (DetachedConnection, SocketAddress) -> Void
  ) {
    if let admin = configuration.admin {
      do {
        let host = HTTPAccess(listening: HTTPConfiguration(address: admin.address).hostName, hosts: admin.hosts)
        // Its own limiter: clients that take all connections do not keep the operator out.
        let limiter = ConnectionLimiter(connectionsMax: ServerLimits.adminConnectionsMax, perAddressMax: nil)
        let service = try HTTPService(
          endpoint, AdminRoutes(host, token: admin.token, daemon), at: admin.address, limiter,
          requestSeconds: configuration.limits.connections.handshakeSeconds, selector: configuration.selector,
          configuration.log, charge: { $0 > ServerLimits.adminQueuedBytesMax }
        ) { connection, peer in
          limiter.release(peer.host)
          handOver(connection, peer)
        }
        service.serve()
      } catch {
        endpoint.started.resolve(.failure(error))
      }
    }
    endpoint.ended.resolve(())
  }
}
