import BaizeTable
import BaizeWorkload

/// The states of a table in one epoch.
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

  /// Returns the hash of the whole table at a revision.
  func hash(at revision: Revision) -> UInt64? { index(of: revision).map { hashes[$0] } }

  /// Returns the hash of the view of `session` at a revision, from its seat at that time.
  func hash(at revision: Revision, for session: SessionID) -> UInt64? {
    guard var state = state(at: revision) else { return nil }
    guard state.type.hasSecrets else { return hash(at: revision) }
    return state.viewHash(for: state.seat(of: session))
  }

  func state(at revision: Revision) -> TableState? { index(of: revision).map { states[$0] } }

  private func index(of revision: Revision) -> Int? {
    guard revision >= first, revision.rawValue - first.rawValue < UInt64(states.count) else { return nil }
    return Int(revision.rawValue - first.rawValue)
  }
}
