#if OpenSSL
  import BaizeSystem
  import COpenSSL
  import Synchronization

  /// TLS of one connection: turns its records into bytes, and bytes into records.
  ///
  /// It does not read from the socket by itself. The loop reads and offers it what has arrived, all of which it takes: of an
  /// incomplete record OpenSSL keeps the part. Records go to the socket at once, as far as the kernel takes them; the rest of
  /// one, which OpenSSL keeps, goes with the next attempt.
  ///
  /// ```
  /// socket → loop's buffer → offer → read → handler        handler → queue → send → socket
  /// ```
  ///
  /// It belongs to the thread of its loop, and moves with its connection (``DetachedConnection``).
  final class TLSSession {
    let context: TLSContext
    let service: TLSService
    private let ssl: OpaquePointer
    private let descriptor: Int32
    /// The bytes that have arrived and that OpenSSL has not taken yet, during a call.
    private var incoming = UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var isEstablished = false
    /// Whether the peer has said that it will send nothing more.
    private(set) var peerHasEnded = false
    /// The messages of the protocol itself that came since the last offer.
    private var messages = 0
    /// The error of the last call to the system.
    private var systemError: SystemError?
    private var hasFailed = false

    private var isServer: Bool {
      switch context.role {
      case .server: true
      case .client: false
      }
    }

    convenience init(_ context: TLSContext, _ descriptor: Int32) throws(TLSFailure) {
      guard case .client(_, let service) = context.role else {
        preconditionFailure("a server's context, without a service")
      }
      try self.init(context, service, descriptor)
    }

    init(_ context: TLSContext, _ service: TLSService, _ descriptor: Int32) throws(TLSFailure) {
      guard let method = OpaquePointer(bitPattern: TLSChannel.method), let ssl = SSL_new(context.pointer),
        let channel = BIO_new(method)
      else { throw TLSFailure(.handshake, "OpenSSL has no memory: \(OpenSSLError.takeLast())") }
      (self.context, self.service, self.ssl, self.descriptor) = (context, service, ssl, descriptor)
      BIO_set_data(channel, Unmanaged.passUnretained(self).toOpaque())
      BIO_set_init(channel, 1)
      SSL_set_bio(ssl, channel, channel)
      SSL_set_msg_callback(ssl) { isSent, _, kind, _, _, ssl, _ in
        if isSent == 0, kind == SSL3_RT_HANDSHAKE { TLSSession.of(ssl)?.messages += 1 }
      }
      switch context.role {
      case .server: becomeServer()
      case .client(let name, _): becomeClient(of: name)
      }
    }

    deinit { SSL_free(ssl) }

    /// Returns the session that an OpenSSL object belongs to.
    static func of(_ ssl: OpaquePointer?) -> TLSSession? {
      BIO_get_data(SSL_get_rbio(ssl)).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }

    private func becomeServer() {
      SSL_set_accept_state(ssl)
      // A ticket of one service is none of another.
      let name = Array("\(service.protocolName) \(service.asksForCertificate)".utf8)
      SSL_set_session_id_context(ssl, name, UInt32(name.count))
      guard service.asksForCertificate else { return }
      SSL_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
      // Whom an authority no longer vouches for does not come in by a ticket.
      SSL_set_num_tickets(ssl, 0)
      SSL_set_options(ssl, baize_tls_no_tickets())
    }

    private func becomeClient(of name: String) {
      SSL_set_connect_state(ssl)
      if SelfSignedCertificate.isAddress(name) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name)
      } else {
        _ = baize_tls_set_server_name(ssl, name)
        SSL_set1_host(ssl, name)
        SSL_set_hostflags(ssl, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
      }
      let names = [UInt8(service.protocolName.utf8.count)] + Array(service.protocolName.utf8)
      SSL_set_alpn_protos(ssl, names, UInt32(names.count))
      context.lastSession.withLock { last in
        if let last { SSL_set_session(ssl, OpaquePointer(bitPattern: last)) }
      }
    }

    /// Keeps a session for the next connection to the same daemon.
    ///
    /// - Returns: 1, for OpenSSL: the session is owned now.
    func keep(_ session: OpaquePointer?) -> Int32 {
      context.lastSession.withLock { last in
        SSL_SESSION_free(last.flatMap(OpaquePointer.init(bitPattern:)))
        last = session.map { UInt(bitPattern: $0) }
      }
      return 1
    }

    // MARK: Receiving

    /// Takes records that have arrived, for the duration of `body`.
    func withIncoming<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () -> Result) -> Result {
      (incoming, messages) = (bytes, 0)
      defer { incoming = UnsafeRawBufferPointer(start: nil, count: 0) }
      return body()
    }

    enum Progress {
      case established
      /// More has to arrive first.
      case wantsToRead
      /// The kernel has to take what is written first.
      case wantsToWrite
      case failed(TLSFailure)
    }

    /// Goes on with the handshake.
    func handshake() -> Progress {
      ERR_clear_error()
      let code = SSL_do_handshake(ssl)
      if code == 1 {
        isEstablished = true
        return .established
      }
      switch SSL_get_error(ssl, code) {
      case SSL_ERROR_WANT_READ: return .wantsToRead
      // What has arrived could not be kept: it was more than a peer sends that waits for an answer.
      case SSL_ERROR_WANT_WRITE where incoming.isEmpty: return .wantsToWrite
      case let error: return .failed(failure(error))
      }
    }

    /// Decrypts what has arrived.
    ///
    /// - Parameter room: Room for as many bytes as were offered, and one record more.
    /// - Returns: The number of bytes.
    func read(into room: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> Int {
      var count = 0
      while count < room.count {
        let space = UnsafeMutableRawBufferPointer(rebasing: room[count...])
        ERR_clear_error()
        let read = SSL_read(ssl, space.baseAddress, Int32(clamping: space.count))
        guard read <= 0 else {
          count += Int(read)
          continue
        }
        switch SSL_get_error(ssl, read) {
        case SSL_ERROR_WANT_READ: return count
        case SSL_ERROR_ZERO_RETURN:
          peerHasEnded = true
          return count
        case let error: throw failure(error)
        }
      }
      return count
    }

    // MARK: Sending

    /// Encrypts and sends as many bytes as the kernel takes. After fewer than all, the next call has at least the same bytes
    /// first.
    @inline(never)
    func send(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) -> SystemCall.Outcome<Int> {
      var count = 0
      while count < bytes.count {
        ERR_clear_error()
        let rest = UnsafeRawBufferPointer(rebasing: bytes[count...])
        let written = SSL_write(ssl, rest.baseAddress, Int32(clamping: rest.count))
        if written > 0 {
          count += Int(written)
          continue
        }
        let error = SSL_get_error(ssl, written)
        guard error == SSL_ERROR_WANT_WRITE else { throw failure(error) }
        return count > 0 ? .done(count) : .wouldBlock
      }
      return .done(count)
    }

    /// Tells the peer that nothing more will be sent, as far as the kernel takes that.
    func endSending() {
      guard isEstablished, !hasFailed else { return }
      ERR_clear_error()
      _ = SSL_shutdown(ssl)
      ERR_clear_error()
    }

    // MARK: The channel's side

    func takeIncoming(into room: UnsafeMutableRawBufferPointer) -> Int? {
      // OpenSSL receives messages of its own for as long as there are any: it stops only for want of bytes.
      if isEstablished, messages > TLSLimits.messagesPerReadMax { return nil }
      let count = min(room.count, incoming.count)
      room.copyMemory(from: UnsafeRawBufferPointer(rebasing: incoming[..<count]))
      incoming = UnsafeRawBufferPointer(rebasing: incoming[count...])
      return count
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
      do {
        switch try Socket.send(bytes, to: descriptor) {
        case .done(let count): return count
        case .wouldBlock: return 0
        }
      } catch {
        systemError = error
        return nil
      }
    }

    // MARK: Failing

    private func failure(_ error: Int32) -> TLSFailure {
      hasFailed = true
      let reason = OpenSSLError.takeLast()
      if let systemError { return TLSFailure(.handshake, "\(systemError)") }
      if isEstablished, messages > TLSLimits.messagesPerReadMax {
        return TLSFailure(.handshake, "the peer sent too many messages of TLS itself")
      }
      let verified = SSL_get_verify_result(ssl)
      if reason.isOfTLS, reason.reason == SSL_R_CERTIFICATE_VERIFY_FAILED, verified != Int(X509_V_OK) {
        return untrusted(verified)
      }
      if error == SSL_ERROR_WANT_WRITE { return TLSFailure(.handshake, "the peer does not read what it asks for") }
      return TLSFailure(reason, isServer: isServer)
    }

    private func untrusted(_ verified: Int) -> TLSFailure {
      let text = X509_verify_cert_error_string(verified).map { String(cString: $0) } ?? "error \(verified)"
      guard case .client(let name, _) = context.role else {
        return TLSFailure(.untrusted, "the client's certificate is not accepted: \(text)")
      }
      let words =
        switch Int32(verified) {
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH: "it is not for '\(name)'"
        case X509_V_ERR_CERT_HAS_EXPIRED: "it has expired"
        case X509_V_ERR_CERT_NOT_YET_VALID: "it is not valid yet; perhaps a clock is wrong"
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
          "it is self-signed, and not among the trusted ones"
        case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
          "no trusted authority has signed it, or its file lacks the certificates in between"
        case _: text
        }
      return TLSFailure(.untrusted, "the daemon's certificate is not accepted: \(words)")
    }
  }

  /// A session on its way from one thread to another: whoever has it takes it, once.
  struct TLSHandle: Sendable {
    /// The bits of a retained reference.
    private let bits: UInt

    init(_ session: TLSSession) { bits = UInt(bitPattern: Unmanaged.passRetained(session).toOpaque()) }

    func take() -> TLSSession? {
      UnsafeRawPointer(bitPattern: bits).map { Unmanaged<TLSSession>.fromOpaque($0).takeRetainedValue() }
    }
  }

  /// OpenSSL's side of a session's socket, as one of its types of input and output.
  enum TLSChannel {
    /// The bits of the `BIO_METHOD *`, which is made once.
    static let method: UInt = {
      guard let method = BIO_meth_new(baize_bio_type(), "Baize's loop") else { return 0 }
      BIO_meth_set_read(method) { channel, bytes, count in
        baize_bio_clear_retry(channel)
        guard let session = TLSChannel.session(of: channel) else { return -1 }
        guard let taken = session.takeIncoming(into: UnsafeMutableRawBufferPointer(start: bytes, count: Int(count)))
        else {
          return -1
        }
        if taken > 0 { return Int32(taken) }
        baize_bio_retry_reading(channel)
        return -1
      }
      BIO_meth_set_write(method) { channel, bytes, count in
        baize_bio_clear_retry(channel)
        guard let session = TLSChannel.session(of: channel) else { return -1 }
        guard let sent = session.write(UnsafeRawBufferPointer(start: bytes, count: Int(count))) else { return -1 }
        if sent > 0 { return Int32(sent) }
        baize_bio_retry_writing(channel)
        return -1
      }
      BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
      return UInt(bitPattern: method)
    }()

    private static func session(of channel: OpaquePointer?) -> TLSSession? {
      BIO_get_data(channel).map { Unmanaged<TLSSession>.fromOpaque($0).takeUnretainedValue() }
    }
  }
#else
  /// TLS of one connection. In a build without TLS there is none.
  enum TLSSession {
    enum Progress {
      case established, wantsToRead, wantsToWrite
      case failed(TLSFailure)
    }

    init(_ context: TLSContext, _ descriptor: Int32) throws(TLSFailure) { throw .unavailable }
    init(_ context: TLSContext, _ service: TLSService, _ descriptor: Int32) throws(TLSFailure) { throw .unavailable }

    var isEstablished: Bool { switch self {} }
    var peerHasEnded: Bool { switch self {} }

    func withIncoming<Result>(_ bytes: UnsafeRawBufferPointer, _ body: () -> Result) -> Result { switch self {} }
    func handshake() -> Progress { switch self {} }
    func read(into room: UnsafeMutableRawBufferPointer) throws(TLSFailure) -> Int { switch self {} }
    func send(_ bytes: UnsafeRawBufferPointer) throws(TLSFailure) -> SystemCall.Outcome<Int> { switch self {} }
    func endSending() { switch self {} }
  }

  /// A session on its way from one thread to another. In a build without TLS there is none.
  enum TLSHandle: Sendable {
    init(_ session: TLSSession) { switch session {} }
    func take() -> TLSSession? { switch self {} }
  }
#endif
