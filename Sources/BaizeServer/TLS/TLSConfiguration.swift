public import BaizeTransport

/// The configuration of TLS, at the addresses for clients and for browsers.
public struct TLSConfiguration: Sendable {
  /// The certificate and its key.
  public var identity: TLSContext.Identity
  /// The file of the authorities, in PEM form, of whose certificates one is needed at the operator's address, which has TLS then;
  /// `nil` for an operator's address without TLS.
  public var adminClientAuthorities: String?

  /// Creates a configuration.
  public init(identity: TLSContext.Identity, adminClientAuthorities: String? = nil) {
    (self.identity, self.adminClientAuthorities) = (identity, adminClientAuthorities)
  }
}
