/// What a client asks of a table. (`Operation` in the wire contract; the name would hide Foundation's.)
public struct TableOperation: Hashable, Sendable {
  /// Its number in the author's session and epoch, from 1.
  public var sequence: SequenceNumber
  /// The last revision that the author had applied.
  public var base: Revision
  /// The epoch of `base`.
  public var epoch: Epoch
  /// How many of the author's earlier operations had no answer yet when it was made. Together with `base` it says
  /// which state the author saw: the base and those operations on top.
  public var unanswered: UInt32
  public var kind: Kind

  /// The rarer kinds are boxed: most operations move items, and are small to pass on.
  public enum Kind: Hashable, Sendable {
    case reorder(ReorderDifference, suggested: DropOperation.Set)
    indirect case insert([NewItem], Destination)
    case remove(ItemList)
    indirect case update(ItemID, attributes: [Attribute], representations: [Representation])
    indirect case perform(action: String, items: ItemList, Destination?)
    case undo(SequenceNumber)
    /// A kind that this version does not know.
    case unknown
  }

  public init(
    sequence: SequenceNumber, base: Revision, epoch: Epoch, unanswered: UInt32 = 0, kind: Kind
  ) {
    self.sequence = sequence
    self.base = base
    self.epoch = epoch
    self.unanswered = unanswered
    self.kind = kind
  }
}
