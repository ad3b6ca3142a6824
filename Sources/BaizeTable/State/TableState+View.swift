extension TableState {
  /// The state as a replica of `seat` has it.
  ///
  /// - Complexity: O(n).
  package func view(for seat: SeatNumber) throws(DiffMismatch) -> TableState {
    var loader = StateLoader(type: type)
    for handle in handles {
      try loader.describe(handle, isEnabled: isEnabled(handle), count: count(in: handle))
      guard isOpen(handle, to: seat) else { continue }
      try loader.add(items(in: handle, from: 0, limit: count(in: handle)).map { $0.told(to: seat) })
    }
    return loader.finish(revision: revision, status: status, variables: variables, seats: seats)
  }
}
