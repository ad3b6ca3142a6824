public import BaizeTransport

/// The configuration of the operator's address.
public struct AdminConfiguration: Sendable {
  /// The address to listen at; port 0 takes any free port.
  public var address: SocketAddress
  /// The token that requests need, at least ``tokenBytesMin`` bytes long; a secret.
  public var token: String
  /// The names, besides those of this machine and the address, that the daemon goes by in requests.
  public var hosts: [String]

  /// The minimum length of a token in bytes.
  public static let tokenBytesMin = 16

  /// Creates a configuration.
  public init(address: SocketAddress, token: String, hosts: [String] = []) {
    self.address = address
    self.token = token
    self.hosts = hosts
  }
}
