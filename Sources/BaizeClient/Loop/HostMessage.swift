/// What comes through the door of a host from other threads.
enum HostMessage: Sendable {
  case add(SharedClient, Endpoint)
  case attend(SharedClient)
  case stream(UInt64, StreamEvent)
  case run(@Sendable (ClientHost) -> Void)
  /// Everyone leaves, then the loop ends.
  case stop
}
