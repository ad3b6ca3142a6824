/// The bytes behind the first ones of a long queue, in pieces: shared ones, and small ones of its own.
///
///     | queue: borrows the first piece | piece | piece | ··· room |
final class WriteBacklog {
  private struct Piece {
    let bytes: SharedBytes
    var range: Range<Int>
    /// Whether no other queue refers to the bytes, so that more may be appended.
    let isOwn: Bool
  }

  private var pieces = Queue<Piece>()
  private var last: Piece?
  /// The number of bytes in the pieces.
  private(set) var count = 0
  /// The piece whose bytes the queue borrows.
  private var first: SharedBytes?

  /// The size of a piece of its own.
  private static let ownBytes = 16 << 10

  func append(_ bytes: SharedBytes, _ range: Range<Int>) {
    push(Piece(bytes: bytes, range: range, isOwn: false))
  }

  /// Appends a copy.
  func append(_ bytes: UnsafeRawBufferPointer, _ pool: BufferPool) {
    if let last, last.isOwn, last.bytes.room >= bytes.count {
      last.bytes.append(bytes)
      self.last?.range = last.range.lowerBound..<last.bytes.count
      count += bytes.count
    } else {
      let own = SharedBytes(capacity: max(bytes.count, Self.ownBytes), pool)
      own.append(bytes)
      push(Piece(bytes: own, range: 0..<bytes.count, isOwn: true))
    }
  }

  private func push(_ piece: Piece) {
    if let last { pieces.append(last) }
    last = piece
    count += piece.range.count
  }

  /// Keeps the bytes that the queue borrows.
  func hold(_ bytes: SharedBytes) { first = bytes }

  /// Returns the next piece, which it keeps until the call after; `nil` behind the last one.
  func next() -> UnsafeRawBufferPointer? {
    guard let piece = pieces.popFirst() ?? last.take() else { return nil }
    first = piece.bytes
    count -= piece.range.count
    return UnsafeRawBufferPointer(rebasing: piece.bytes.bytes[piece.range])
  }
}
