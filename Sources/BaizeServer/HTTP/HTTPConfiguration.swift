public import BaizeTransport

/// The configuration of the daemon's HTTP address, for browsers: the page, `baize.js` and WebSocket.
public struct HTTPConfiguration: Sendable {
  /// The address to listen at; port 0 takes any free port.
  public var address: SocketAddress
  /// Whether the daemon goes on without HTTP if the address cannot be listened at.
  public var isOptional: Bool
  /// The names, besides those of this machine and the address, that the daemon goes by in requests: those of a proxy, say.
  public var hosts: [String]
  /// The origins of other sites whose pages may connect, such as `https://example.org`.
  public var origins: [String]

  /// Creates a configuration.
  public init(address: SocketAddress, isOptional: Bool = false, hosts: [String] = [], origins: [String] = []) {
    self.address = address
    self.isOptional = isOptional
    self.hosts = hosts
    self.origins = origins
  }
}
