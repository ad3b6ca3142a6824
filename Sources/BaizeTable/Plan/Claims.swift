/// That a session drags an item. As long as it does nobody else may claim the item, and where the table type says so
/// nobody else may take it.
public struct Claim: Hashable, Sendable, BitwiseCopyable {
  public let session: SessionID
  /// Where the table stood. A claim is on an item where it lay then: whoever moves it ends the claim.
  public let since: Revision

  public init(session: SessionID, since: Revision) {
    self.session = session
    self.since = since
  }
}

extension TableState {
  /// Why `seat` may not lift some items together at present, wherever it would carry them; `nil` if it may.
  ///
  /// Whether someone else holds them, and what is in the way where they are dropped, are other questions.
  ///
  /// - Complexity: O(k log n) for k items, and what the rules cost.
  public func refusalToLift(_ items: ItemList, by seat: SeatNumber) -> Refusal? {
    do throws(Refusal) {
      try checkStanding(of: seat)
      try checkRights(lifting: try lifted(items, by: seat), by: seat)
      return nil
    } catch {
      return error
    }
  }

  /// Whether a claim on an item stands against everyone but its holder.
  package func isClaimed(_ item: ItemID, _ claim: Claim) -> Bool {
    let slot = index.slot(of: item)
    return slot >= 0 && isClaimed(slot, claim)
  }

  func isClaimed(_ slot: Int32, _ claim: Claim) -> Bool { records[slot].placed <= claim.since }
}
