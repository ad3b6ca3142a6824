/// What has to be durable before a frame is sent.
public enum Durability: String, Hashable, Sendable, CaseIterable {
  /// Everything that the frame depends on.
  case strict
  /// That the table was made, or loaded under its epoch; the rest follows within milliseconds. A crash may lose that tail:
  /// the table then comes back under a new epoch.
  case relaxed
  /// Nothing, and nothing is kept.
  case memory
}
