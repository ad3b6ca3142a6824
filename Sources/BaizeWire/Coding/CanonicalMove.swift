public import BaizeTable

/// The most frequent client message, a reorder of one item in canonical form, decoded in one pass.
///
/// ```
/// 12 operation: 08 sequence, 10 base, 1A reorder,               48 epoch, 50 unanswered
///                                     1A reorder: 0A item, 12 destination,              18 suggested
///                                                          12 destination: 08 collection, 10 before, 18 then
/// ```
///
/// It is plain numbers, so that nothing of it is ever copied or released. A host on a hot path tries it first.
public struct CanonicalMove: Sendable, BitwiseCopyable {
  public let sequence: SequenceNumber
  public let base: Revision
  public let epoch: Epoch
  public let unanswered: UInt32
  public let suggested: DropOperation.Set
  public let item: ItemID
  public let destination: Destination

  /// Decodes one message, without its length.
  ///
  /// - Returns: `nil` for any other message, and for any other or malformed encoding of this one;
  ///   ``ClientMessage/init(decoding:)`` decodes or refuses those.
  public init?(_ bytes: UnsafeRawBufferPointer) {
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
    self.sequence = SequenceNumber(rawValue: sequence)
    self.base = Revision(rawValue: base)
    self.epoch = Epoch(rawValue: epoch)
    self.unanswered = UInt32(truncatingIfNeeded: unanswered)
    self.suggested = DropOperation.Set(rawValue: UInt32(truncatingIfNeeded: suggested))
    self.item = ItemID(rawValue: item)
    destination = Destination(
      collection: CollectionHandle(rawValue: UInt32(truncatingIfNeeded: collection)),
      position: Position(anchor: ItemID(rawValue: before)), then: ItemID(rawValue: then))
  }

  public var operation: TableOperation {
    @inlinable @inline(__always) get {
      TableOperation(
        sequence: sequence, base: base, epoch: epoch, unanswered: unanswered,
        kind: .reorder(ReorderDifference(sources: ItemList(item), destination: destination), suggested: suggested))
    }
  }
}
