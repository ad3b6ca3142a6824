public import BaizeTransport

/// The address of a daemon and the transport to reach it.
public enum Endpoint: Sendable {
  /// Plain TCP, run by the loop itself.
  case tcp(SocketAddress)
  /// TCP with TLS, run by the loop itself, in a program that was built with the trait OpenSSL. On Apple's systems
  /// `Endpoint.tls(host:port:)` needs no trait.
  case tls(SocketAddress, TLSContext)
  /// Another transport: a function that makes a stream for each attempt to connect. The loop calls it on its thread.
  case stream(@Sendable () throws -> any ByteStream)
}

extension Endpoint {
  /// Returns a plain TCP endpoint. Resolves host names, which blocks: do not call it on a loop's thread.
  ///
  /// - Parameter text: `HOST:PORT`.
  /// - Returns: The endpoint.
  /// - Throws: `SocketAddressError` with a sentence for the person who wrote the text.
  public static func tcp(parsing text: String) throws -> Endpoint { .tcp(try SocketAddress(parsing: text)) }

  /// Returns an endpoint with TLS. The daemon's certificate must be for the name or the address in `text`. Resolves host names,
  /// which blocks: do not call it on a loop's thread.
  ///
  /// - Parameters:
  ///   - text: `HOST:PORT`.
  ///   - authorities: The file, in PEM form, of the authorities that are trusted; `nil` for those of the system.
  /// - Returns: The endpoint. All clients that use it share what makes their next connections cheap.
  /// - Throws: `SocketAddressError` or `TLSFailure`, with a sentence for the person who wrote the text.
  public static func tls(parsing text: String, authorities: String? = nil) throws -> Endpoint {
    let address = try SocketAddress(parsing: text)
    var host = text[..<(text.lastIndex(of: ":") ?? text.endIndex)]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    return .tls(address, try .client(of: String(host), authorities: authorities))
  }
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tcp(let address): "\(address)"
    case .tls(let address, _): "\(address) with TLS"
    case .stream: "the stream"
    }
  }
}
