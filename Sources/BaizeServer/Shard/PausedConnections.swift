import BaizeTransport

/// The connections from which reading resumes when the turn has ended, in turn: one that was served comes after those that were
/// not, in whatever order they were presented.
struct PausedConnections {
  private var unserved: [ConnectionKey] = []
  private var served: [ConnectionKey] = []

  var isEmpty: Bool { unserved.isEmpty && served.isEmpty }

  /// Adds a connection at the end.
  ///
  /// - Parameter wasServed: Whether something of it was received in this turn.
  mutating func append(_ key: ConnectionKey, wasServed: Bool) {
    if wasServed { served.append(key) } else { unserved.append(key) }
  }

  func forEach(_ body: (ConnectionKey) -> Void) {
    unserved.forEach(body)
    served.forEach(body)
  }

  /// Removes all connections, in their order.
  mutating func removeAll(_ body: (ConnectionKey) -> Void) {
    forEach(body)
    unserved.removeAll(keepingCapacity: true)
    served.removeAll(keepingCapacity: true)
  }
}
