import BaizeWire

/// The signed tokens of a host's clients: each connection asks for one, and its hello presents it; later ones take its place.
struct SignedTokens {
  /// A request for a token, of which only the last one of a client counts.
  struct Request: Hashable, Sendable {
    fileprivate let number: UInt64
    fileprivate let index: Int
  }

  private var last: UInt64 = 0
  /// The number of the request that each client waits for.
  private var requests: [Int: UInt64] = [:]
  /// The tokens for the next hellos.
  private var tokens: [Int: String] = [:]

  mutating func begin(_ index: Int) -> Request {
    last += 1
    requests[index] = last
    return Request(number: last, index: index)
  }

  /// Ends a request.
  ///
  /// - Returns: The client; `nil` if it does not wait for this one any more.
  mutating func end(_ request: Request) -> Int? {
    guard requests[request.index] == request.number else { return nil }
    requests[request.index] = nil
    return request.index
  }

  mutating func present(_ token: String, of index: Int) { tokens[index] = token }

  mutating func cancel(_ index: Int) { (requests[index], tokens[index]) = (nil, nil) }

  /// Returns a message, with the client's token if it is a hello.
  mutating func adding(to message: ClientMessage, of index: Int) -> ClientMessage {
    guard !tokens.isEmpty, case .hello(var hello) = message, let token = tokens.removeValue(forKey: index) else {
      return message
    }
    hello.signedToken = token
    return .hello(hello)
  }
}
