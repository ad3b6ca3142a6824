import BaizeTable

/// The states that a table went through under one epoch.
struct Timeline {
  private let first: Revision
  private var states: [TableState] = []
  private var hashes: [UInt64] = []

  init(from state: TableState) {
    first = state.revision
    append(state)
  }

  mutating func append(_ state: TableState) {
    states.append(state)
    var copy = state
    hashes.append(copy.viewHash())
  }

  /// The hash of the view at a revision.
  func hash(at revision: Revision) -> UInt64? { place(of: revision).map { hashes[$0] } }

  func state(at revision: Revision) -> TableState? { place(of: revision).map { states[$0] } }

  private func place(of revision: Revision) -> Int? {
    guard revision >= first, revision.rawValue - first.rawValue < UInt64(states.count) else { return nil }
    return Int(revision.rawValue - first.rawValue)
  }
}
