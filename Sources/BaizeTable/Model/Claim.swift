/// A session's claim on an item that it drags. While it lasts nobody else may claim the item, nor, if the table type
/// enforces claims, take it.
public struct Claim: Hashable, Sendable, BitwiseCopyable {
  /// The session that drags the item.
  public let session: SessionID
  /// The revision of the table when the item was claimed. A later move of the item ends the claim.
  public let since: Revision

  /// Creates a claim.
  public init(session: SessionID, since: Revision) {
    self.session = session
    self.since = since
  }
}

extension TableState {
  /// Returns whether a claim on an item is still valid.
  package func isClaimed(_ item: ItemID, _ claim: Claim) -> Bool {
    let slot = index.slot(of: item)
    return slot >= 0 && isClaimed(slot, claim)
  }

  func isClaimed(_ slot: Int32, _ claim: Claim) -> Bool { forest.records[slot].placed <= claim.since }
}
