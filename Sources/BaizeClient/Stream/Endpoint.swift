public import BaizeTransport

/// Where a daemon is, and over what it is spoken to.
public enum Endpoint: Sendable {
  /// Plain TCP, carried by the loop itself.
  case tcp(SocketAddress)
  /// Anything else: makes a stream for each attempt to connect. Called on the loop's thread.
  case stream(@Sendable () throws -> any ByteStream)
}

extension Endpoint {
  /// Plain TCP to `HOST:PORT`. A name is looked up, which waits for the resolver: not for a loop's thread.
  ///
  /// - Throws: `SocketAddressError`, with a sentence for the person who wrote the text.
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
