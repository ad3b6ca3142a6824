/// The operations that the daemon has not acknowledged, for an app that shows them: ``TableClient/waitingOperations``.
public struct WaitingOperations: Hashable, Sendable {
  /// The number of operations, including those of an earlier process.
  public let count: Int
  /// The maximum number; further operations are refused `TOO_MANY_PENDING`. Zero before the client has received the table.
  public let countMax: Int
  /// The time at which the oldest was submitted; `nil` if there are none.
  public let since: ContinuousClock.Instant?
  /// The state of the connection.
  public let connection: ConnectionState

  /// The time of the next attempt to connect; `nil` while the client is connected or connecting, and when it has ended.
  public var nextAttempt: ContinuousClock.Instant? {
    if case .reconnecting(let time, _) = connection { time } else { nil }
  }
}
