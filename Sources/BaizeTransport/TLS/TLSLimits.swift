/// The bounds of TLS. The unit is the last word of a name.
package enum TLSLimits {
  /// The memory that is charged for a connection with TLS besides its queues: OpenSSL's state without buffers, which it has
  /// only while a record is incomplete.
  package static let connectionBytes = 20 << 10
  /// The most that is read in one turn from all connections with TLS, in equal parts. A record has a cost of its own, and a
  /// peer may send as many as it likes of one byte each.
  package static let readBytesPerTurn = 128 << 10
  /// The least that is read in one turn from a connection with TLS.
  static let readBytesMin = 512
  /// The maximum number of messages of the protocol itself, such as changes of keys, that are received of a connection in one
  /// turn after the handshake. Each costs as much as many records.
  static let messagesPerReadMax = 16
  /// The maximum size of the certificates that a client sends, in bytes.
  static let clientCertificateBytesMax = 16 << 10
  /// The maximum size of the bytes that a client sends before it knows the server's certificate.
  package static let firstBytesMax = 32 << 10
  /// The first byte of every record of a handshake.
  package static let handshakeRecord: UInt8 = 22
  /// The name of Baize's protocol over TCP (ALPN).
  package static let protocolName = "baize"
  /// The name of HTTP and of WebSocket (ALPN).
  package static let httpName = "http/1.1"
  /// The time for which a certificate of one's own making is valid.
  package static let selfSignedSeconds = 30 * 86_400
}
