import BaizeSync
public import BaizeTable

extension TableClient {
  /// Inserts any number of new items into one gap, by as many operations as they need.
  ///
  /// One operation has at most `TableLimits.itemsPerOperationMax` items, with at most
  /// `TableLimits.operationFaceBytesMax` bytes together; ``insert(_:in:before:)`` refuses more, since one operation
  /// is judged at one time. The items of this call become one block in their order, whatever others put there meanwhile, but not at one time:
  /// each batch is judged, answered and undone by itself. If one is refused, those before and behind it stand.
  ///
  /// ```swift
  /// for submission in client.insertInBatches(songs, in: "queue") {
  ///   if case .refused(let refusal) = try await submission.outcome { print(refusal.detail) }
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - items: The new items' faces, in order.
  ///   - collection: The collection's name, such as `todo`.
  ///   - anchor: The item to insert before; `nil` for the end.
  /// - Returns: The submissions of the batches, in the order of the items; none without items. As many as the daemon allows may
  ///   be pending (`TOO_MANY_PENDING`), by default 256.
  @discardableResult
  public func insertInBatches(
    _ items: [NewItem], in collection: String, before anchor: ItemID? = nil
  ) -> [Submission] {
    let frameBytesMax = shared.read { $0.replica?.frameBytesMax } ?? WireLimits.frameBytesMax
    let batches = items.batches(frameBytesMax: frameBytesMax)
    // Where items always land at the start, the last batch comes first.
    guard landsAtStart(collection) else { return batches.map { insert(Array($0), in: collection, before: anchor) } }
    return batches.reversed().map { insert(Array($0), in: collection, before: anchor) }.reversed()
  }

  private func landsAtStart(_ collection: String) -> Bool {
    shared.read { core in
      guard let state = core.replica?.state, let handle = core.handles[collection] else { return false }
      return state.kind(of: handle).accept.landing == .start
    }
  }
}
