/// The data that must be durable before a frame is sent.
public enum Durability: String, Hashable, Sendable, CaseIterable {
  /// Everything that the frame depends on.
  case strict
  /// The table's creation, or the epoch that it was loaded under; the rest becomes durable within milliseconds. A crash may
  /// lose that tail; the table then continues under a new epoch.
  case relaxed
  /// Nothing: no data is written.
  case memory
}
