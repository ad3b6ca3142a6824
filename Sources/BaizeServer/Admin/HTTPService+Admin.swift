import BaizeHTTP
import BaizeTable
import BaizeTransport

extension HTTPService<AdminRoutes> {
  /// Runs the body of the thread of the operator's address.
  ///
  /// - Parameter address: The address to listen at, or with TLS the one that is listened at.
  static func run(
    _ endpoint: HTTPEndpoint, at address: SocketAddress, _ configuration: ServerConfiguration,
    _ daemon: AdminRoutes.AdminDaemon,
    admit: @escaping (SocketAddress) -> Bool, handOver: @escaping (DetachedConnection?, SocketAddress) -> Void
  ) {
    if let admin = configuration.admin {
      do {
        let host = HTTPAccess(listening: HTTPConfiguration(address: admin.address).hostName, hosts: admin.hosts)
        // Its own places, and of those some that only the operator gets: nobody keeps the operator out.
        let places = (
          strangers: HTTPPlaces(ServerLimits.adminStrangersMax),
          authorized: HTTPPlaces(ServerLimits.adminConnectionsMax, isShared: false)
        )
        let seconds = configuration.limits.connections.handshakeSeconds
        let times = (
          strangers: HTTPTimes.ofStrangers(requestSeconds: seconds), authorized: HTTPTimes(requestSeconds: seconds)
        )
        // What strangers are sent is bounded by their number, and exports by `AdminRoutes`.
        let service = try HTTPService(
          endpoint, AdminRoutes(host, token: admin.token, daemon), at: address, places, times,
          hasTLS: configuration.tls?.adminClientAuthorities != nil, selector: configuration.selector, configuration.log,
          charge: { _ in false }, admit: admit,
          handOver: handOver)
        service.serve()
      } catch {
        endpoint.started.resolve(.failure(error))
      }
    }
    endpoint.ended.resolve(())
  }
}
