import BaizeTransport

/// What a run with clients that come back is to do.
struct ReconnectOptions: Sendable {
  var address = SocketAddress.loopback(port: 7777)
  /// The tables' types, in turn.
  var tableTypes = ["list?items=20", "grid", "kanban?cards=10", "klondike"]
  var tables = 8
  /// Players per table.
  var players = 3
  /// How many operations each player has unanswered at most.
  var window = 4
  /// Operations per second of each player, as far as the window allows.
  var rate: UInt64 = 50
  /// How long they play; `nil` until a signal comes.
  var seconds: Double?
  var seed: UInt64 = 1
  /// Whether a line a second tells how it goes.
  var showsProgress = true
  /// Sets apart the tables of several runs against one daemon.
  var tablePrefix = "reconnect"
  /// How long the daemon may be away.
  var patienceSeconds = 30.0
  /// How long to wait for the last answers.
  var settleSeconds = 60.0

  /// Clients come back soon: there is much to see, and one machine to see it on.
  static let backoffMilliseconds: UInt64 = 20
  static let backoffMillisecondsMax: UInt64 = 250
  /// How often each copy is compared with the daemon while it plays.
  static let hashCheckSeconds: UInt64 = 2
}
