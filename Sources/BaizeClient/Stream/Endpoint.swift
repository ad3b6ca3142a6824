public import BaizeTransport

/// The address of a daemon and the transport to reach it.
public enum Endpoint: Sendable {
  /// Plain TCP, run by the loop itself.
  case tcp(SocketAddress)
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
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tcp(let address): "\(address)"
    case .stream: "the stream"
    }
  }
}
