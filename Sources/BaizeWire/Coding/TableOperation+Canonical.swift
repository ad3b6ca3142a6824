public import BaizeTable

extension TableOperation {
  /// Decodes the most frequent client message, a reorder of one item in canonical form, in one pass.
  ///
  /// ```
  /// 12 operation: 08 sequence, 10 base, 1A reorder,               48 epoch, 50 unanswered
  ///                                     1A reorder: 0A item, 12 destination,              18 suggested
  ///                                                          12 destination: 08 collection, 10 before, 18 then
  /// ```
  ///
  /// A host on a hot path tries this first, so that no ``ClientMessage`` is built and taken apart again.
  ///
  /// - Parameter bytes: One message, without its length.
  /// - Returns: `nil` for any other message, and for any other or malformed encoding of this one;
  ///   ``ClientMessage/init(decoding:)`` decodes or refuses those.
  public init?(canonicalReorder bytes: UnsafeRawBufferPointer) {
    self.init(inlinedCanonicalReorder: bytes)
  }

  @inline(__always) init?(inlinedCanonicalReorder bytes: UnsafeRawBufferPointer) {
    guard var reader = CanonicalReader(bytes), let message = reader.enter(0x12),
      let sequence = reader.uint64(0x08), let base = reader.uint64(0x10),
      let operation = reader.enter(0x1A),
      let reorder = reader.enter(0x0A), let item = reader.varint(), reader.leave(reorder) != nil,
      reader.enter(0x12) != nil, let collection = reader.uint64(0x08), let before = reader.uint64(0x10),
      let then = reader.uint64(0x18), reader.leave(reorder) != nil,
      let suggested = reader.uint64(0x18), reader.leave(operation) != nil,
      let epoch = reader.uint64(0x48), let unanswered = reader.uint64(0x50), reader.leave(message) != nil,
      reader.isComplete
    else { return nil }
    self.init(
      sequence: SequenceNumber(rawValue: sequence), base: Revision(rawValue: base), epoch: Epoch(rawValue: epoch),
      unanswered: UInt32(truncatingIfNeeded: unanswered),
      kind: .reorder(
        ReorderDifference(
          sources: ItemList(ItemID(rawValue: item)),
          destination: Destination(
            collection: CollectionHandle(rawValue: UInt32(truncatingIfNeeded: collection)),
            position: Position(anchor: ItemID(rawValue: before)), then: ItemID(rawValue: then))),
        suggested: DropOperation.Set(rawValue: UInt32(truncatingIfNeeded: suggested))))
  }
}
