/// A message from another thread to a host.
enum HostMessage: Sendable {
  case add(SharedClient, Endpoint)
  case wake(SharedClient)
  case stream(UInt64, StreamEvent)
  /// The answer to a client's request for a signed token.
  case signedToken(SignedTokens.Request, Result<String, any Error>)
  case run(@Sendable (ClientHost) -> Void)
  /// All clients leave, then the loop ends.
  case stop
}
