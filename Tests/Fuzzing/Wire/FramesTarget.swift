import BaizeWire
import BaizeWorkload

/// The frame reader finds the same frames in any division of the stream into pieces.
///
/// The first two bytes decide on the pieces and on the longest frame, the rest is the stream.
enum FramesTarget {
  static func run(_ input: [UInt8]) -> Bool {
    var script = InputScript(input.prefix(2))
    let pieceBytes = 1 + script.below(64)
    let reader = FrameReader(frameBytesMax: script.pick([1 << 20, 4_096, 16, 0, .max]))
    let stream = Array(input.dropFirst(2))
    let whole = frames(of: reader, stream, pieceBytes: .max)
    let pieces = frames(of: reader, stream, pieceBytes: pieceBytes)
    hold(whole.frames == pieces.frames, "pieces of \(pieceBytes) bytes give other frames")
    hold(
      whole.error == pieces.error, "\(String(describing: whole.error)), in pieces \(String(describing: pieces.error))")
    hold(whole.frames.allSatisfy { $0.count <= reader.frameBytesMax }, "a frame is longer than \(reader.frameBytesMax)")
    return !whole.frames.isEmpty
  }

  /// Reads as a connection does: an incomplete frame is kept and presented again, in front of the next bytes.
  private static func frames(
    of reader: FrameReader, _ stream: [UInt8], pieceBytes: Int
  ) -> (frames: [[UInt8]], error: DecodeError?) {
    var frames: [[UInt8]] = []
    var kept: [UInt8] = []
    var position = 0
    while position < stream.count {
      let end = position + min(pieceBytes, stream.count - position)
      kept += stream[position..<end]
      position = end
      var start = 0
      do throws(DecodeError) {
        while let range = try reader.next(in: kept, from: start) {
          hold(range.lowerBound > start && range.upperBound <= kept.count, "\(range) of \(kept.count) bytes")
          frames.append(Array(kept[range]))
          start = range.upperBound
        }
      } catch {
        return (frames, error)
      }
      kept.removeFirst(start)
    }
    return (frames, nil)
  }
}
