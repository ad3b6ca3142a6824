import BaizeTable

/// The hashes of a table's views at one revision: many pings at one revision cost the work of one.
struct ViewHashes: Sendable {
  private var revision = Revision.zero
  private var hashes: [(seat: SeatNumber, hash: UInt64)] = []

  /// Returns the hash of a seat's view, computed once for each revision.
  mutating func hash(for seat: SeatNumber, at revision: Revision, _ compute: () -> UInt64) -> UInt64 {
    if revision != self.revision {
      self.revision = revision
      hashes.removeAll(keepingCapacity: true)
    }
    if let known = hashes.first(where: { $0.seat == seat }) { return known.hash }
    let hash = compute()
    hashes.append((seat, hash))
    return hash
  }
}
