import BaizeHTTP
import BaizeWorkload

/// The reader of WebSocket frames finds the same frames in any division of the stream into pieces, and what is written is read.
///
/// The first three bytes decide on the pieces, the side and the longest payload, the rest is the stream.
enum WebSocketTarget {
  private struct Frame: Equatable {
    let opcode: WebSocketFrame.Opcode
    let isFinal: Bool
    let payload: [UInt8]
  }

  static func run(_ input: [UInt8]) -> Bool {
    var script = InputScript(input.prefix(3))
    let pieceBytes = 1 + script.below(64)
    let isServer = script.below(4) > 0
    let reader = WebSocketFrameReader(isServer: isServer, payloadBytesMax: script.pick([1 << 20, 4_096, 16, 0]))
    let stream = Array(input.dropFirst(3))
    let whole = frames(reader, stream, pieceBytes: .max)
    let pieces = frames(reader, stream, pieceBytes: pieceBytes)
    hold(whole.frames == pieces.frames, "pieces of \(pieceBytes) bytes give other frames")
    hold(whole.violation == pieces.violation, "another violation in pieces of \(pieceBytes) bytes")
    for frame in whole.frames { check(frame, reader) }
    return !whole.frames.isEmpty
  }

  private static func check(_ frame: Frame, _ reader: WebSocketFrameReader) {
    let isControl = frame.opcode.rawValue >= 8
    hold(isControl || frame.payload.count <= reader.payloadBytesMax, "a payload of \(frame.payload.count) bytes")
    hold(!isControl || frame.payload.count <= 125 && frame.isFinal, "a long or divided control frame")
    let bytes = WebSocketFrame.bytes(
      frame.opcode, frame.payload, isFinal: frame.isFinal, mask: reader.isServer ? 0xA1B2_C3D4 : nil)
    hold(frames(reader, bytes, pieceBytes: .max).frames == [frame], "what was written is not read")
    if frame.opcode == .close { _ = try? WebSocketFrame.closeCode(frame.payload) }
  }

  private static func frames(
    _ reader: WebSocketFrameReader, _ stream: [UInt8], pieceBytes: Int
  ) -> (frames: [Frame], violation: WebSocketViolation?) {
    var (frames, kept): ([Frame], [UInt8]) = ([], [])
    var position = 0
    while position < stream.count {
      let end = position + min(pieceBytes, stream.count - position)
      kept += stream[position..<end]
      position = end
      var start = 0
      do throws(WebSocketViolation) {
        while let frame = try next(reader, kept, from: start) {
          hold(frame.end > start && frame.end <= kept.count, "\(frame.end) of \(kept.count) bytes")
          frames.append(frame.frame)
          start = frame.end
        }
      } catch {
        return (frames, error)
      }
      kept.removeFirst(start)
    }
    return (frames, nil)
  }

  private static func next(
    _ reader: WebSocketFrameReader, _ bytes: [UInt8], from start: Int
  ) throws(WebSocketViolation) -> (frame: Frame, end: Int)? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(WebSocketViolation) in
      let raw = UnsafeRawBufferPointer(buffer)
      return try reader.next(in: raw, from: start).map { frame in
        (Frame(opcode: frame.opcode, isFinal: frame.isFinal, payload: frame.unmasked(raw)), frame.payload.upperBound)
      }
    }
  }
}
