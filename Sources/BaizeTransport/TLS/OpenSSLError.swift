#if OpenSSL
  import COpenSSL

  /// The last error that OpenSSL has noted for this thread.
  struct OpenSSLError: CustomStringConvertible {
    /// OpenSSL's number for the reason; 0 without an error.
    let reason: Int32
    /// Whether the reason is one of TLS itself.
    let isOfTLS: Bool
    /// OpenSSL's own words for the reason.
    let description: String

    /// Returns the last error, and forgets all.
    static func takeLast() -> OpenSSLError {
      let code = ERR_peek_last_error()
      ERR_clear_error()
      guard code != 0 else { return OpenSSLError(reason: 0, isOfTLS: false, description: "no reason is given") }
      let text = ERR_reason_error_string(code).map { String(cString: $0) } ?? "error \(code)"
      return OpenSSLError(
        reason: baize_error_reason(code), isOfTLS: baize_is_tls_error(code) != 0, description: text)
    }
  }

  extension TLSFailure {
    /// Creates the failure of a handshake, or of a connection after it.
    ///
    /// - Parameter isServer: Whether the peer is a client.
    init(_ error: OpenSSLError, isServer: Bool) {
      let peer = isServer ? "the client" : "the daemon"
      guard error.isOfTLS else {
        self.init(.handshake, "TLS failed: \(error)")
        return
      }
      switch error.reason {
      case SSL_R_HTTP_REQUEST, SSL_R_HTTPS_PROXY_REQUEST, SSL_R_WRONG_VERSION_NUMBER, SSL_R_PACKET_LENGTH_TOO_LONG:
        self.init(.plainPeer, "\(peer) does not use TLS")
      case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
        self.init(.handshake, "\(peer) does not trust whoever signed the certificate that it was shown")
      case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE, SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
        self.init(
          .handshake,
          "\(peer) does not accept the certificate that it was shown: a wrong name, or no authority that it trusts")
      case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
        self.init(.handshake, "\(peer) says that the certificate that it was shown has expired")
      case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
        self.init(.handshake, "\(peer) says that the certificate that it was shown is revoked")
      case SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_VERSION_TOO_LOW, SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
        self.init(.handshake, "\(peer) has no version of TLS in common with this side, which has 1.2 and 1.3")
      case SSL_R_NO_SHARED_CIPHER, SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
        self.init(.handshake, "\(peer) has no way to encrypt in common with this side")
      case SSL_R_NO_APPLICATION_PROTOCOL, SSL_R_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
        self.init(
          .handshake,
          isServer
            ? "the client speaks another protocol than this port (ALPN): perhaps it is for the other port"
            : "the daemon speaks another protocol at this port (ALPN): perhaps its other port is the right one")
      case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
        self.init(.untrusted, "the client shows no certificate, which this address asks for")
      case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
        self.init(.handshake, "the daemon asks for a certificate of the client")
      case let reason: self.init(.handshake, "TLS failed: \(error) (OpenSSL's reason \(reason))")
      }
    }
  }
#endif
