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
    let frames = Pieces(stream: Array(input.dropFirst(2)), bytes: pieceBytes).parts {
      { (kept, start) throws(DecodeError) in
        try reader.next(in: kept, from: start).map { range in
          hold(range.lowerBound > start, "\(range) from \(start) on")
          return (Array(kept[range]), range.upperBound)
        }
      }
    }
    hold(frames.allSatisfy { $0.count <= reader.frameBytesMax }, "a frame is longer than \(reader.frameBytesMax)")
    return !frames.isEmpty
  }
}
