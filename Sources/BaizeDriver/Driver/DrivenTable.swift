import BaizeSync

/// One table under load: the copy of its first member, and the deliveries of each revision.
struct DrivenTable {
  /// Set once it is loaded; only applies diffs for a source that needs that.
  var replica: Replica?
  /// For the last revisions, the time of submission and the number of members that have received them.
  private var flights: [Flight] = []

  private struct Flight {
    var revision: UInt64 = 0
    var submitted: UInt64 = 0
    var seen = 0
  }

  private static let flightsMax = 4_096

  /// Notes that one more member has received a revision.
  ///
  /// - Parameters:
  ///   - submitted: The time at which its operation was sent, if the member is the author; otherwise 0.
  ///   - count: The number of the table's members.
  /// - Returns: The time at which the operation was sent, if this member was the last to receive it.
  mutating func delivered(_ revision: UInt64, submitted: UInt64, to count: Int) -> UInt64? {
    if flights.isEmpty { flights = Array(repeating: Flight(), count: Self.flightsMax) }
    let index = Int(revision % UInt64(Self.flightsMax))
    if flights[index].revision != revision { flights[index] = Flight(revision: revision) }
    if submitted > 0 { flights[index].submitted = submitted }
    flights[index].seen += 1
    return flights[index].seen == count && flights[index].submitted > 0 ? flights[index].submitted : nil
  }
}
