import BaizeTable
import BaizeWire

/// The signed tokens of a host's clients: each connection asks for one, and its hello presents it; later ones take its place.
struct SignedTokens {
  /// A request for a token, of which only the last one of a client counts.
  struct Request: Hashable, Sendable {
    fileprivate let number: UInt64
    fileprivate let index: Int
  }

  private var last: UInt64 = 0
  /// The request that each client waits for.
  private var requests: [Int: (number: UInt64, task: Task<Void, Never>)] = [:]
  /// The tokens for the next hellos.
  private var tokens: [Int: String] = [:]

  /// Whether a client waits for its app's answer.
  func isWaiting(_ index: Int) -> Bool { requests[index] != nil }

  /// Asks an app's function for a token, instead of what it was asked before.
  ///
  /// - Parameter answer: Receives what it returns, on any thread.
  mutating func request(
    of index: Int, from provider: @escaping @Sendable () async throws -> String,
    _ answer: @escaping @Sendable (Request, Result<String, any Error>) -> Void
  ) {
    last += 1
    let request = Request(number: last, index: index)
    let task = Task {
      do {
        answer(request, .success(try Self.checked(try await provider())))
      } catch {
        answer(request, .failure(error))
      }
    }
    requests.updateValue((last, task), forKey: index)?.task.cancel()
  }

  private static func checked(_ token: String) throws -> String {
    guard (1...WireLimits.signedTokenBytesMax).contains(token.utf8.count) else {
      throw SignedTokenFailure(bytes: token.utf8.count)
    }
    return token
  }

  /// Ends a request.
  ///
  /// - Returns: The client; `nil` if it does not wait for this one any more.
  mutating func end(_ request: Request) -> Int? {
    guard requests[request.index]?.number == request.number else { return nil }
    requests[request.index] = nil
    return request.index
  }

  mutating func present(_ token: String, of index: Int) { tokens[index] = token }

  /// Forgets what a client waits for, and what is not shown yet: both were for its last connection.
  mutating func cancel(_ index: Int) {
    requests.removeValue(forKey: index)?.task.cancel()
    tokens[index] = nil
  }

  /// Returns a message, with the client's token if it is a hello.
  mutating func adding(to message: ClientMessage, of index: Int) -> ClientMessage {
    guard !tokens.isEmpty, case .hello(var hello) = message, let token = tokens.removeValue(forKey: index) else {
      return message
    }
    hello.signedToken = token
    return .hello(hello)
  }
}

/// What an app's function returned is no token.
private struct SignedTokenFailure: Error, CustomStringConvertible {
  let bytes: Int

  var description: String { "it has \(bytes) bytes; 1 to \(WireLimits.signedTokenBytesMax) are allowed" }
}
