package import BaizeSync
package import BaizeTable
package import BaizeWire

/// Puts a table together from the parts of a snapshot.
package struct SnapshotReader {
  private var first: SnapshotPart?
  private var loader: StateLoader?

  package init() {}

  /// Whether parts are missing.
  package var isLoading: Bool { loader != nil }

  /// Adds the next part.
  ///
  /// - Returns: The table once it is complete.
  package mutating func add(
    _ part: SnapshotPart, of type: @autoclosure () -> TableType?
  ) throws(DiffMismatch) -> TableState? {
    if part.isFirst {
      first = part
      loader = type().map { StateLoader(type: $0) }
    }
    try loader?.add(part)
    guard part.isComplete, let first, let complete = loader.take() else { return nil }
    return complete.finish(
      revision: part.revision, status: first.status, variables: first.variables, seats: first.seats)
  }
}

extension Replica {
  /// Creates the replica of a table that has just been loaded.
  ///
  /// - Parameter person: Whose session it is; `nil` if it is that one's first.
  package init(_ state: TableState, from part: SnapshotPart, session: SessionID, person: SessionID? = nil) {
    let author = Author(session: session, seat: state.seat(of: person ?? session))
    self.init(state: state, epoch: part.epoch, author: author, lastSequence: part.lastSequence)
  }
}

extension TableState {
  /// Returns the seat of a person.
  package func seat(of person: SessionID) -> SeatNumber { seats.first { $0.person == person }?.number ?? .spectator }
}
