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
  /// The maximum number of operations in flight of each player; without a rate, the number at any time.
  package var window = 1
  /// Planned operations per second of all players together, each player in turn. The plan waits for no answer; `nil` for as
  /// many as the window allows.
  package var rate: Double?
  /// Whether the plan is kept on time, which keeps a core busy, and times count from it. Otherwise they count from sending.
  package var isPunctual = false
  /// The share of late operations above which the result is one of the harness and not of the daemon.
  package var lateShareMax = LoadOptions.lateShareMax
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

  /// The maximum number of operations in flight of a player: the daemon's limit of pending operations of one session.
  package static let windowMax = 256
  /// An operation is late if the harness itself comes to it later than this behind its planned time.
  package static let lateNanoseconds: UInt64 = 10_000_000
  /// The share of late operations above which a result is one of the harness and not of the daemon, unless given.
  package static let lateShareMax = 0.01
  /// The maximum number of intervals that a result is divided into.
  package static let intervalsMax = 1_000

  package init() {}

  package func tableName(_ number: Int) -> String { "\(tablePrefix)-\(number)" }
}
