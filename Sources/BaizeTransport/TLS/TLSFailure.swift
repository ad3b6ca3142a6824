/// The reason why TLS cannot be used, or why a connection is not secure, in words.
public struct TLSFailure: Error, Equatable, Sendable {
  /// The reasons that a program treats differently.
  public enum Kind: Equatable, Sendable {
    /// The program was built without TLS.
    case unavailable
    /// A file of a certificate, of a key or of authorities cannot be used.
    case unusableFile
    /// The peer does not use TLS.
    case plainPeer
    /// The peer's certificate is not accepted here.
    case untrusted
    /// Anything else that a peer can cause.
    case handshake
  }

  public let kind: Kind
  /// A sentence without a capital letter or a full stop. It has no text that a peer has sent.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}

extension TLSFailure: CustomStringConvertible {}

extension TLSFailure {
  /// The failure of everything that needs TLS in a program that was built without it.
  static let unavailable = TLSFailure(
    .unavailable,
    "this build has no TLS, since it was built without the trait OpenSSL (swift build -c release --traits OpenSSL); a proxy "
      + "with TLS can stand in front: see deploy/haproxy.cfg, --proxy-protocol and --allow-host")
}
