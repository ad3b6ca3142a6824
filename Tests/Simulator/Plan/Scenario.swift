/// The focus of a world.
public enum Scenario: String, Hashable, Sendable, CaseIterable {
  /// Only delays.
  case calm
  /// Connections are lost, welcomes and answers with them.
  case lossy
  /// Operations exceed the rate limits and are retried.
  case hurried
  /// Readers are so slow that their backlog is replaced by a snapshot, which comes in many parts.
  case slow
  /// The daemon is killed and stopped at any moment.
  case crashing
  /// The disk has no room for a while.
  case full
  /// All clients are disconnected for long: seats are lost, tables are unloaded and loaded again.
  case idle
  /// Frames are sent before they are durable.
  case relaxed
  /// Views differ, and clients join, leave and change seats.
  case secret
  /// All of these at once.
  case mixed
}
