package import BaizeSync
package import BaizeTable

/// One table under load: the replica of one of its connections, and the deliveries of each revision.
package struct LoadTable {
  package let name: String
  /// The connection that keeps the replica, and the replica once it is loaded.
  package var replicaOwner = -1
  package var replica: Replica?
  /// The number of its live connections.
  package var followers = 0
  /// The number of long texts still to be written.
  package var fillLeft = 0
  /// For the last revisions, the time of submission and the number of connections that have received them.
  private var flights: [Flight]

  private struct Flight {
    var revision: UInt64 = 0
    var submitted: UInt64 = 0
    var seen = 0
  }

  private static let flightsMax = 4_096

  package init(name: String) {
    self.name = name
    flights = Array(repeating: Flight(), count: Self.flightsMax)
  }

  /// Notes that one more connection has seen a revision.
  ///
  /// - Parameter submitted: The time at which its operation was sent, if the connection is the author's.
  /// - Returns: The time at which the operation was sent, if this connection was the last to receive it.
  package mutating func delivered(_ revision: UInt64, submitted: UInt64?) -> UInt64? {
    let index = Int(revision % UInt64(Self.flightsMax))
    if flights[index].revision != revision { flights[index] = Flight(revision: revision) }
    if let submitted { flights[index].submitted = submitted }
    flights[index].seen += 1
    return flights[index].seen == followers && flights[index].submitted > 0 ? flights[index].submitted : nil
  }
}
