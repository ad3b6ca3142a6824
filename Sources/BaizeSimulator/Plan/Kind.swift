/// What a world is mostly about.
public enum Kind: String, Hashable, Sendable, CaseIterable {
  /// Only delays.
  case calm
  /// Connections are lost, welcomes and answers with them.
  case lossy
  /// Operations come too fast and too many, and wait their turn.
  case hurried
  /// Readers so slow that their backlog is replaced by a snapshot, which comes in many parts.
  case slow
  /// The daemon is killed and stopped at any moment.
  case crashing
  /// The disk has no room for a while.
  case full
  /// Everyone is away for long: seats are lost, tables are unloaded and loaded again.
  case idle
  /// What leaves is not on disk yet.
  case relaxed
  /// Not all see the same, and people come, go and change seats.
  case secret
  /// All of it at once.
  case mixed
}
