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
  /// The endpoints of several daemons of which one serves while the others wait, such as nodes with one journal. A client tries them in
  /// turn, all of them before it waits, and begins with the next one when its connection has ended.
  case anyOf([Endpoint])
}

extension Endpoint {
  /// Returns a plain TCP endpoint. Resolves host names, which blocks: do not call it on a loop's thread.
  ///
  /// - Parameter text: `HOST:PORT`, or several with commas between, for ``anyOf(_:)``.
  /// - Returns: The endpoint.
  /// - Throws: `SocketAddressError` with a sentence for the person who wrote the text.
  public static func tcp(parsing text: String) throws -> Endpoint {
    try parsing(text) { .tcp(try SocketAddress(parsing: $0)) }
  }

  /// Returns what is made of the only part of a text between commas, or any of what is made of its parts.
  private static func parsing(_ text: String, _ make: (String) throws -> Endpoint) rethrows -> Endpoint {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return parts.count == 1 ? try make(text) : .anyOf(try parts.map(make))
  }

  /// Returns an endpoint with TLS. The daemon's certificate must be for the name or the address in `text`. Resolves host names,
  /// which blocks: do not call it on a loop's thread.
  ///
  /// - Parameters:
  ///   - text: `HOST:PORT`, or several with commas between, for ``anyOf(_:)``.
  ///   - authorities: The file, in PEM form, of the authorities that are trusted; `nil` for those of the system.
  /// - Returns: The endpoint. All clients that use it share what makes their next connections cheap.
  /// - Throws: `SocketAddressError` or `TLSFailure`, with a sentence for the person who wrote the text.
  public static func tls(parsing text: String, authorities: String? = nil) throws -> Endpoint {
    try parsing(text) { text in
      let address = try SocketAddress(parsing: text)
      var host = text[..<(text.lastIndex(of: ":") ?? text.endIndex)]
      if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
      return .tls(address, try .client(of: String(host), authorities: authorities))
    }
  }

  /// The endpoints to try in turn.
  fileprivate var all: [Endpoint] {
    guard case .anyOf(let endpoints) = self else { return [self] }
    return endpoints.flatMap(\.all)
  }
}

extension Endpoint: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tcp(let address): "\(address)"
    case .tls(let address, _): "\(address) with TLS"
    case .stream: "the stream"
    case .anyOf(let endpoints): endpoints.map(\.description).joined(separator: ", ")
    }
  }
}

/// The endpoints that a client tries in turn.
struct Route {
  private let all: [Endpoint]
  private var index = 0
  /// The number of those that were not tried since the client last waited.
  private var untried = 0

  init(to endpoint: Endpoint) { all = endpoint.all }

  /// The one that is tried now; `nil` if there is none at all.
  var endpoint: Endpoint? { all.isEmpty ? nil : all[index] }

  /// Begins to try them, with the present one.
  mutating func begin() { untried = all.count }

  /// Goes on to the next one, since the present one cannot be reached, or its connection has ended.
  ///
  /// - Returns: Whether it was not tried yet.
  mutating func advance() -> Bool {
    guard !all.isEmpty else { return false }
    index = (index + 1) % all.count
    untried -= 1
    return untried > 0
  }
}
