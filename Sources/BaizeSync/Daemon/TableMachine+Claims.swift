import BaizeTable
import BaizeWire

/// Claims: what a drag holds, nobody else may begin to drag, and where the table type says so nobody else may take it.
///
/// A claim is on all items of a drag or on none. It ends with the drag, and ``SyncLimits/claimSeconds`` after that began at
/// the latest; the drag may outlive it. On an item that is moved, removed or named anew meanwhile it ends by itself.
extension TableMachine {
  /// Whether a member may begin to drag some items: it is told of all of them, may lift them together, and nobody else
  /// holds one of them.
  mutating func isClaimable(_ items: ItemList, for member: Int, at now: Instant) -> Bool {
    guard items.count <= limits.itemsPerDragMax,
      table.state.refusalToLift(items, by: members[member].seat) == nil
    else { return false }
    expireClaims(at: now)
    guard !claims.isEmpty else { return true }
    return !items.contains { item in claims[item].map { table.state.isClaimed(item, $0) } ?? false }
  }

  /// Notes a drag that was granted; the session holds none.
  mutating func begin(_ drag: Drag, of place: Int, at now: Instant) {
    sessions[place].drag = drag
    sessions[place].hasDragged = true
    sessions[place].claimEnds = now.advanced(bySeconds: limits.claimSeconds)
    draggers.append(place)
    let claim = Claim(session: sessions[place].id, since: table.state.revision)
    for item in drag.items { claims[item] = claim }
  }

  /// Forgets a session's drag, and what it claims.
  ///
  /// - Returns: The drag, if there was one.
  mutating func letGo(_ place: Int) -> Drag? {
    guard let drag = sessions[place].drag.take() else { return nil }
    release(drag, of: place)
    draggers.removeAll { $0 == place }
    return drag
  }

  /// Ends the claims whose time is over. At most as many are looked at as there are seats.
  mutating func expireClaims(at now: Instant) {
    for place in draggers {
      guard let ends = sessions[place].claimEnds, ends <= now, let drag = sessions[place].drag else { continue }
      release(drag, of: place)
    }
  }

  /// What an operation may not take from who holds it.
  mutating func claimsToKeep(at now: Instant) -> [ItemID: Claim] {
    guard !draggers.isEmpty, table.state.type.claims else { return [:] }
    expireClaims(at: now)
    return claims
  }

  private mutating func release(_ drag: Drag, of place: Int) {
    guard sessions[place].claimEnds.take() != nil else { return }
    let session = sessions[place].id
    for item in drag.items where claims[item]?.session == session { claims[item] = nil }
  }
}
