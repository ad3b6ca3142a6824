package import BaizeClient
package import BaizeTransport

/// The parameters of a ``LedgerPlay``.
package struct LedgerPlayOptions: Sendable {
  package var address = SocketAddress.loopback(port: 7777)
  /// The addresses of other nodes with the same journal.
  package var others: [SocketAddress] = []
  /// The tables' types, in turn.
  package var tableTypes = ["list?items=20", "grid", "kanban?cards=10", "klondike"]
  package var tables = 8
  /// Players per table.
  package var players = 3
  /// The maximum number of pending operations of each player.
  package var window = 4
  /// Operations per second of each player, as far as the window allows.
  package var rate: UInt64 = 50
  package var seed: UInt64 = 1
  /// The beginning of the tables' names, which sets apart those of several runs against one daemon.
  package var tablePrefix = "reconnect"
  /// The number of operations after which a player loses its connection; 0 for never.
  package var operationsPerCut: UInt64 = 200
  /// The interval at which each copy is compared with the daemon, in seconds.
  package var hashCheckSeconds: UInt64 = 2
  /// The number of times that the daemon moves each table to another document under each epoch but the first.
  package var movesPerEpoch = 0
  /// The maximum time that the daemon may be away, in seconds.
  package var timeoutSeconds = 30.0
  /// The maximum wait for the last answers, in seconds.
  package var settleSeconds = 60.0

  package init(_ change: (inout Self) -> Void = { _ in }) { change(&self) }

  /// The daemon's address, and those of the other nodes.
  package var endpoint: Endpoint { others.isEmpty ? .tcp(address) : .anyOf(([address] + others).map(Endpoint.tcp)) }

  package func tableName(_ number: Int) -> String { "\(tablePrefix)-\(number)" }

  package func tableType(_ number: Int) -> String { tableTypes[number % tableTypes.count] }

  /// Players reconnect soon, since a run has many reconnects on one machine.
  package var backoffMilliseconds: UInt64 = 20
  package var backoffMillisecondsMax: UInt64 = 250
}
