import Synchronization

#if OpenSSL
  import BaizeSystem
  import COpenSSL
#endif

/// A service behind TLS: of a server, one port.
package struct TLSService: Sendable {
  /// The name of the protocol that is spoken (ALPN): a client that names others, and not this one, is refused.
  let protocolName: String
  /// Whether clients must show a certificate.
  let asksForCertificate: Bool

  /// Baize's protocol over TCP.
  package static let baize = TLSService(protocolName: TLSLimits.protocolName, asksForCertificate: false)
  /// HTTP and WebSocket.
  package static let http = TLSService(protocolName: TLSLimits.httpName, asksForCertificate: false)
  /// HTTP for those with a certificate.
  package static let certifiedHTTP = TLSService(protocolName: TLSLimits.httpName, asksForCertificate: true)
}

/// The settings of one side of TLS: a daemon's certificate and key, or the authorities that a client trusts.
///
/// It does not change once it is made: a reloaded certificate is another context, and connections keep the one that they began
/// with. It may be used on any thread.
public final class TLSContext: Sendable {
  /// The origin of a daemon's certificate and key.
  public enum Identity: Sendable {
    /// Files in PEM form. The certificate's file has the whole chain, the daemon's own certificate first.
    case files(certificate: String, key: String)
    /// A certificate of the daemon's own making, for trying out: nobody trusts it, unless a person does.
    ///
    /// - Parameter names: The names and addresses that it is for.
    case selfSigned(names: [String])
  }

  /// The side of the connections.
  enum Role: Sendable {
    case server
    /// - Parameter name: The daemon's name or address, which its certificate must have.
    case client(name: String, TLSService)
  }

  #if OpenSSL
    let role: Role
    /// The bits of the `SSL_CTX *`, which is not `Sendable` as a pointer; OpenSSL's own locks protect it.
    let bits: UInt
    /// The bits of the last session of a client's, as an `SSL_SESSION *`: with it the next connection needs less work.
    let lastSession = Mutex<UInt?>(nil)

    private init(_ role: Role) throws(TLSFailure) {
      let method: OpaquePointer?
      switch role {
      case .server: method = TLS_server_method()
      case .client: method = TLS_client_method()
      }
      guard let context = SSL_CTX_new(method), baize_tls_configure(context) == 1 else {
        throw TLSFailure(.handshake, "OpenSSL cannot be used: \(OpenSSLError.takeLast())")
      }
      (self.role, bits) = (role, UInt(bitPattern: context))
    }

    deinit {
      lastSession.withLock { session in
        SSL_SESSION_free(session.flatMap(OpaquePointer.init(bitPattern:)))
        session = nil
      }
      SSL_CTX_free(OpaquePointer(bitPattern: bits))
    }

    var pointer: OpaquePointer? { OpaquePointer(bitPattern: bits) }
  #else
    private init() {}
  #endif

  // MARK: Making

  /// Makes the context of a daemon.
  ///
  /// - Parameters:
  ///   - identity: The certificate and the key.
  ///   - clientAuthorities: The file of the authorities of clients' certificates; `nil` if no service asks for any.
  ///   - predecessor: The context before a reload, whose clients can go on with their tickets.
  /// - Throws: `TLSFailure` in words if a file cannot be used, or in a build without TLS.
  package static func server(
    _ identity: Identity, clientAuthorities: String? = nil, after predecessor: TLSContext? = nil
  ) throws(TLSFailure) -> TLSContext {
    #if OpenSSL
      let context = try TLSContext(.server)
      try context.becomeServer(identity, clientAuthorities: clientAuthorities)
      if let predecessor { context.takeTicketKeys(of: predecessor) }
      return context
    #else
      throw .unavailable
    #endif
  }

  /// Makes the context of the clients of one daemon. The certificate of the daemon is verified always.
  ///
  /// - Parameters:
  ///   - name: The daemon's name, or its address, which its certificate must have.
  ///   - authorities: The file, in PEM form, of the authorities that are trusted; `nil` for those of the system.
  ///   - certificate: The files of a certificate and a key to show, for a daemon that asks for one.
  ///   - service: What is spoken.
  /// - Throws: `TLSFailure` in words if a file cannot be used, or in a build without TLS.
  package static func client(
    of name: String, authorities: String? = nil, certificate: Identity? = nil,
    _ service: TLSService = .baize
  ) throws(TLSFailure) -> TLSContext {
    #if OpenSSL
      let context = try TLSContext(.client(name: name, service))
      try context.becomeClient(authorities: authorities, certificate)
      return context
    #else
      throw .unavailable
    #endif
  }

  /// The number of seconds for which the certificate is still valid, negative once it has expired; `nil` without one.
  package var secondsValid: Int? {
    #if OpenSSL
      guard let certificate = SSL_CTX_get0_certificate(pointer) else { return nil }
      return Self.seconds(until: X509_get0_notAfter(certificate))
    #else
      nil
    #endif
  }

  /// The number of seconds until the certificate is valid, negative from then on; `nil` without one.
  package var secondsUntilValid: Int? {
    #if OpenSSL
      guard let certificate = SSL_CTX_get0_certificate(pointer) else { return nil }
      return Self.seconds(until: X509_get0_notBefore(certificate))
    #else
      nil
    #endif
  }

  /// Whether both contexts have the same certificate.
  package func hasCertificate(of other: TLSContext) -> Bool {
    #if OpenSSL
      guard let own = SSL_CTX_get0_certificate(pointer), let others = SSL_CTX_get0_certificate(other.pointer) else {
        return false
      }
      return X509_cmp(own, others) == 0
    #else
      true
    #endif
  }
}

#if OpenSSL
  extension TLSContext {
    private func becomeServer(_ identity: Identity, clientAuthorities: String?) throws(TLSFailure) {
      baize_tls_configure_server(pointer, TLSLimits.clientCertificateBytesMax)
      SSL_CTX_set_num_tickets(pointer, 1)
      // Of TLS 1.2 only what has forward secrecy and authenticated encryption.
      SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
      SSL_CTX_set_alpn_select_cb(
        pointer,
        { ssl, out, outCount, offered, count, _ in
          select(ssl, out, outCount, offered, count)
        }, nil)
      try use(identity)
      guard let clientAuthorities else { return }
      try trust(clientAuthorities)
      SSL_CTX_set_client_CA_list(pointer, SSL_load_client_CA_file(clientAuthorities))
    }

    private func becomeClient(authorities: String?, _ certificate: Identity?) throws(TLSFailure) {
      baize_tls_configure_client(pointer)
      SSL_CTX_sess_set_new_cb(pointer) { ssl, session in TLSSession.of(ssl)?.keep(session) ?? 0 }
      SSL_CTX_set_verify(pointer, SSL_VERIFY_PEER, nil)
      if let authorities {
        try trust(authorities)
      } else if SSL_CTX_set_default_verify_paths(pointer) != 1 {
        throw TLSFailure(.unusableFile, "the system's authorities cannot be read: \(OpenSSLError.takeLast())")
      }
      if let certificate { try use(certificate) }
    }

    private func trust(_ file: String) throws(TLSFailure) {
      try Self.checkFile(file)
      guard SSL_CTX_load_verify_locations(pointer, file, nil) == 1 else {
        throw TLSFailure(.unusableFile, "'\(file)' has no certificates in PEM form: \(OpenSSLError.takeLast())")
      }
    }

    private func use(_ identity: Identity) throws(TLSFailure) {
      // Nobody is there to be asked for a password.
      SSL_CTX_set_default_passwd_cb(pointer) { _, _, _, _ in 0 }
      switch identity {
      case .selfSigned(let names): try SelfSignedCertificate.use(in: pointer, names: names)
      case .files(let certificate, let key):
        try Self.checkFile(certificate)
        guard SSL_CTX_use_certificate_chain_file(pointer, certificate) == 1 else {
          throw TLSFailure(.unusableFile, "'\(certificate)' has no certificate in PEM form: \(OpenSSLError.takeLast())")
        }
        try Self.checkFile(key)
        guard !Self.isReadableByAll(key) else {
          throw TLSFailure(.unusableFile, "every user can read the key in '\(key)'; run: chmod o= '\(key)'")
        }
        guard SSL_CTX_use_PrivateKey_file(pointer, key, SSL_FILETYPE_PEM) == 1 else {
          let error = OpenSSLError.takeLast()
          throw TLSFailure(
            .unusableFile,
            error.reason == X509_R_KEY_VALUES_MISMATCH || error.reason == X509_R_KEY_TYPE_MISMATCH
              ? "the key in '\(key)' is not that of the certificate in '\(certificate)'"
              : "'\(key)' has no private key in PEM form, or one with a password: \(error)")
        }
        guard SSL_CTX_check_private_key(pointer) == 1 else {
          throw TLSFailure(.unusableFile, "the key in '\(key)' is not that of the certificate in '\(certificate)'")
        }
      }
    }

    private static func checkFile(_ path: String) throws(TLSFailure) {
      guard access(path, R_OK) == 0 else {
        throw TLSFailure(.unusableFile, SystemError(call: "'\(path)' cannot be read", errno: errno).description)
      }
    }

    private static func isReadableByAll(_ path: String) -> Bool {
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IRWXO != 0
    }

    private func takeTicketKeys(of predecessor: TLSContext) {
      var keys = [UInt8](repeating: 0, count: Int(BAIZE_TLS_TICKET_KEYS_BYTES))
      guard baize_tls_get_ticket_keys(predecessor.pointer, &keys, keys.count) == 1 else { return }
      _ = baize_tls_set_ticket_keys(pointer, &keys, keys.count)
    }

    private static func seconds(until time: UnsafePointer<ASN1_TIME>?) -> Int? {
      var (days, seconds): (Int32, Int32) = (0, 0)
      guard ASN1_TIME_diff(&days, &seconds, nil, time) == 1 else { return nil }
      return Int(days) * 86_400 + Int(seconds)
    }
  }

  /// Chooses the protocol among those that a client offers: the one that is spoken here, or none.
  private func select(
    _ ssl: OpaquePointer?, _ out: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ outCount: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?, _ count: UInt32
  ) -> Int32 {
    guard let session = TLSSession.of(ssl), let offered else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    let name = session.service.protocolName
    var position = 0
    // Each is behind its length; OpenSSL has checked that they fill the list.
    while position < Int(count) {
      let length = Int(offered[position])
      let bytes = UnsafeBufferPointer(start: offered + position + 1, count: length)
      if position + length < Int(count), bytes.elementsEqual(name.utf8) {
        out?.pointee = bytes.baseAddress
        outCount?.pointee = UInt8(length)
        return SSL_TLSEXT_ERR_OK
      }
      position += length + 1
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
  }
#endif
