import BaizeHarness
import BaizeTransport

/// The parameters of a run.
struct LoadOptions: Sendable {
  var address = SocketAddress.loopback(port: 7777)
  /// Whether the address is the daemon's HTTP address, and the connections are WebSockets.
  var usesWebSocket = false
  var tables = 64
  /// Players per table.
  var players = 4
  /// Spectators per table.
  var spectators = 0
  var tableType = "grid"
  /// The number of pending operations of each player at any time.
  var window = 1
  /// Operations per second of all players together, submitted whether or not earlier ones are answered; `nil` for as many as
  /// the window allows.
  var rate: Double?
  /// The number of long texts that are written at each table before the run, to fill the queues of stalled readers.
  var fillUpdates = 0
  var seconds = 5.0
  /// The exact number of operations to measure instead of ``seconds``, for tools that count the daemon's instructions.
  var operations: Int?
  /// The duration of the warming up before the measurement.
  var warmUpSeconds = 1.0
  var seed: UInt64 = 1
  /// Whether progress is reported every second.
  var showsProgress = true
  /// Set apart the tables of several runs against one daemon.
  var tablePrefix = "load"
  /// The time to wait for the last answers, in seconds.
  var settleSeconds = Double(HangGuard.seconds)

  func tableName(_ number: Int) -> String { "\(tablePrefix)-\(number)" }
}
