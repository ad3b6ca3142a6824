public import BaizeTable

/// A session that has a table judge its operations, one after the other.
public struct TestAuthor {
  public let author: Author
  public var memory = AuthorMemory()
  /// The number of its last operation.
  public private(set) var last: SequenceNumber

  /// - Parameters:
  ///   - seat: The session's number unless given.
  ///   - last: The number of its last operation.
  public init(_ session: UInt64 = 1, seat: UInt32? = nil, after last: UInt64 = 0) {
    self.last = SequenceNumber(rawValue: last)
    author = Author(
      session: SessionID(rawValue: session),
      seat: SeatNumber(rawValue: seat ?? UInt32(truncatingIfNeeded: session)))
  }

  /// Has its next operation judged.
  ///
  /// - Parameter base: The table's present revision unless given.
  @discardableResult
  public mutating func ask(
    _ kind: TableOperation.Kind, of table: inout Table, base: Revision? = nil, unanswered: UInt32 = 0
  ) -> Judgement {
    last = last.next
    let operation = TableOperation(
      sequence: last, base: base ?? table.state.revision, epoch: Epoch(rawValue: 1), unanswered: unanswered,
      kind: kind)
    return table.judge(operation, by: author, memory: &memory)
  }
}
