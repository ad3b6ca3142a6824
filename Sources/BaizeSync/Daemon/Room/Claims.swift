import BaizeTable
import BaizeWire

/// The drags at a table and the items that they claim. No other session may begin to drag a claimed item, or move it if
/// the table type says so.
///
/// A drag claims all of its items or none. The claim ends with the drag, or ``SyncLimits/Sessions/claimSeconds`` after its begin if
/// the drag lasts longer. It also ends for an item that is moved, removed or given a new id.
struct Claims: Sendable {
  /// The drags in the order in which they began; at most one for each session.
  private(set) var drags: [HeldDrag] = []
  private var claims: [ItemID: Claim] = [:]

  struct HeldDrag: Sendable {
    let slot: Int
    /// The drag with its last destination, in the form in which a new member receives it.
    var drag: Drag
    /// The time at which its claims end; `nil` after that.
    var claimEnds: Instant?
  }

  var isEmpty: Bool { drags.isEmpty && claims.isEmpty }

  func contains(_ session: SessionID) -> Bool { drags.contains { $0.drag.session == session } }

  /// Begins a drag of a session that has none, and claims its items.
  mutating func begin(_ drag: Drag, of slot: Int, since revision: Revision, until end: Instant) {
    drags.append(HeldDrag(slot: slot, drag: drag, claimEnds: end))
    let claim = Claim(session: drag.session, since: revision)
    for item in drag.items { claims[item] = claim }
  }

  /// Moves a session's drag over another destination.
  ///
  /// - Returns: The drag for the others, without its items, which they know since it began; `nil` if there is none.
  mutating func move(_ drag: Drag, of slot: Int) -> Drag? {
    guard let index = drags.firstIndex(where: { $0.slot == slot }) else { return nil }
    var moved = drag
    moved.items = drags[index].drag.items
    moved.phase = .began
    drags[index].drag = moved
    moved.phase = .moved
    moved.items = []
    return moved
  }

  func hasDrag(of slot: Int) -> Bool { drags.contains { $0.slot == slot } }

  /// Ends a session's drag and its claims.
  ///
  /// - Returns: The drag, if there was one.
  mutating func end(_ slot: Int) -> Drag? {
    guard let index = drags.firstIndex(where: { $0.slot == slot }) else { return nil }
    release(index)
    return drags.remove(at: index).drag
  }

  /// Ends the claims that have timed out.
  ///
  /// - Complexity: O(number of drags); at most one for each seat.
  mutating func expire(at now: Instant) {
    for index in drags.indices {
      if let end = drags[index].claimEnds, end <= now { release(index) }
    }
  }

  /// Returns the claims that an operation has to respect.
  @inline(__always) mutating func current(at now: Instant) -> [ItemID: Claim] {
    guard !drags.isEmpty else { return [:] }
    expire(at: now)
    return claims
  }

  /// Returns whether another drag claims one of the items.
  mutating func isClaimed(_ items: ItemList, in state: TableState, at now: Instant) -> Bool {
    let claims = current(at: now)
    guard !claims.isEmpty else { return false }
    return items.contains { item in claims[item].map { state.isClaimed(item, $0) } ?? false }
  }

  private mutating func release(_ index: Int) {
    guard drags[index].claimEnds.take() != nil else { return }
    let drag = drags[index].drag
    for item in drag.items where claims[item]?.session == drag.session { claims[item] = nil }
  }
}
