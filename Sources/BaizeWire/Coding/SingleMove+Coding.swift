public import BaizeTable

/// The most frequent client message, a reorder of one item in canonical form, decoded in one pass.
///
/// ```
/// 12 operation: 08 sequence, 10 base, 1A reorder, 48 epoch, 50 unanswered
///                                     1A reorder: 0A item, 12 destination, 18 suggested
///                                                          12 destination: 08 collection, 10 before,
///                                                                          20 after or 28 start
/// ```
///
/// A host on a hot path tries it first.
extension SingleMove {
  /// Decodes one message, without its length.
  ///
  /// - Returns: `nil` for any other message, and for any other or malformed encoding of this one;
  ///   ``ClientMessage/init(decoding:)`` decodes or refuses those.
  public init?(canonical bytes: UnsafeRawBufferPointer) {
    guard var reader = CanonicalReader(bytes), let message = reader.enter(0x12),
      let sequence = reader.uint64(0x08), let base = reader.uint64(0x10),
      let operation = reader.enter(0x1A),
      let reorder = reader.enter(0x0A), let item = reader.varint(), reader.leave(reorder) != nil,
      reader.enter(0x12) != nil, let collection = reader.uint64(0x08), let before = reader.uint64(0x10),
      let after = reader.uint64(0x20),
      let start = after == 0 ? reader.uint64(0x28) : 0, reader.leave(reorder) != nil,
      let suggested = reader.uint64(0x18), reader.leave(operation) != nil,
      let epoch = reader.uint64(0x48), let unanswered = reader.uint64(0x50), reader.leave(message) != nil,
      reader.isComplete
    else { return nil }
    var destination = Destination(
      collection: CollectionHandle(rawValue: UInt32(truncatingIfNeeded: collection)),
      position: Position(anchor: ItemID(rawValue: before)))
    if after != 0 {
      destination.after = .item(ItemID(rawValue: after))
    } else if start != 0 {
      destination.after = .start
    }
    self.init(
      sequence: SequenceNumber(rawValue: sequence), base: Revision(rawValue: base), epoch: Epoch(rawValue: epoch),
      unanswered: UInt32(truncatingIfNeeded: unanswered),
      suggested: DropOperation.Set(rawValue: UInt32(truncatingIfNeeded: suggested)), item: ItemID(rawValue: item),
      destination: destination)
  }
}
