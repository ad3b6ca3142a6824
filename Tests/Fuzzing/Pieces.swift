/// A stream that arrives in pieces of some bytes.
struct Pieces {
  let stream: [UInt8]
  let bytes: Int

  /// A reader of what is kept of a stream, from a position on.
  ///
  /// It returns the next part and the position behind it; `nil` if that is incomplete.
  typealias Reader<Part, Failure: Error> = (_ kept: [UInt8], _ start: Int) throws(Failure) -> (part: Part, end: Int)?

  /// Returns the parts of the stream, which must be the same in pieces and at once, as must be the reader's failure.
  func parts<Part: Equatable, Failure: Error & Equatable>(
    _ makeReader: () -> Reader<Part, Failure>
  ) -> [Part] {
    let whole = read(makeReader(), pieceBytes: stream.count)
    let pieces = read(makeReader(), pieceBytes: bytes)
    hold(whole.parts == pieces.parts, "pieces of \(bytes) bytes give other parts")
    hold(
      whole.failure == pieces.failure,
      "\(String(describing: whole.failure)), in pieces of \(bytes) bytes \(String(describing: pieces.failure))")
    return whole.parts
  }

  /// Reads as a connection does: what is incomplete is kept and presented again, in front of the next bytes.
  private func read<Part, Failure: Error>(
    _ next: Reader<Part, Failure>, pieceBytes: Int
  ) -> (parts: [Part], failure: Failure?) {
    var (parts, kept): ([Part], [UInt8]) = ([], [])
    for first in stride(from: 0, to: stream.count, by: max(1, pieceBytes)) {
      kept += stream[first..<min(first + pieceBytes, stream.count)]
      var start = 0
      do throws(Failure) {
        while let (part, end) = try next(kept, start) {
          hold(end > start && end <= kept.count, "\(start) to \(end) of \(kept.count) bytes")
          parts.append(part)
          start = end
        }
      } catch {
        return (parts, error)
      }
      kept.removeFirst(start)
    }
    return (parts, nil)
  }
}
