package import BaizeTransport

/// The parameters of a run.
package struct LoadOptions: Sendable {
  package var address = SocketAddress.loopback(port: 7777)
  /// Whether the address is the daemon's HTTP address, and the connections are WebSockets.
  package var usesWebSocket = false
  package var tables = 64
  /// Players per table.
  package var players = 4
  /// Spectators per table.
  package var spectators = 0
  package var tableType = "grid"
  package var source = OperationSource.choices
  /// Whether latencies are recorded.
  package var isTimed = true
  /// The number of pending operations of each player at any time.
  package var window = 1
  /// Operations per second of all players together, submitted whether or not earlier ones are answered; `nil` for as many as
  /// the window allows.
  package var rate: Double?
  package var seconds = 5.0
  /// The exact number of operations to measure instead of ``seconds``, for tools that count the daemon's instructions.
  package var operations: Int?
  /// The duration of the warming up before the measurement.
  package var warmUpSeconds = 1.0
  package var seed: UInt64 = 1
  /// Whether progress is reported every second.
  package var showsProgress = true
  /// Set apart the tables of several runs against one daemon.
  package var tablePrefix = "load"

  package init() {}

  package func tableName(_ number: Int) -> String { "\(tablePrefix)-\(number)" }
}
