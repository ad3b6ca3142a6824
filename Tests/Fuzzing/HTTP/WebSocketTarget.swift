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
    let frames = frames(Pieces(stream: Array(input.dropFirst(3)), bytes: pieceBytes), reader)
    for frame in frames { check(frame, reader) }
    return !frames.isEmpty
  }

  private static func check(_ frame: Frame, _ reader: WebSocketFrameReader) {
    let isControl = frame.opcode.rawValue >= 8
    hold(isControl || frame.payload.count <= reader.payloadBytesMax, "a payload of \(frame.payload.count) bytes")
    hold(!isControl || frame.payload.count <= 125 && frame.isFinal, "a long or divided control frame")
    let bytes = WebSocketFrame.bytes(
      frame.opcode, frame.payload, isFinal: frame.isFinal, mask: reader.isServer ? 0xA1B2_C3D4 : nil)
    hold(frames(Pieces(stream: bytes, bytes: bytes.count), reader) == [frame], "what was written is not read")
    if frame.opcode == .close { _ = try? WebSocketFrame.closeCode(frame.payload) }
  }

  private static func frames(_ pieces: Pieces, _ reader: WebSocketFrameReader) -> [Frame] {
    pieces.parts {
      { (kept, start) throws(WebSocketViolation) in
        try kept.withUnsafeBufferPointer { (buffer) throws(WebSocketViolation) in
          let raw = UnsafeRawBufferPointer(buffer)
          return try reader.next(in: raw, from: start).map { frame in
            (
              Frame(opcode: frame.opcode, isFinal: frame.isFinal, payload: frame.unmasked(raw)),
              frame.payload.upperBound
            )
          }
        }
      }
    }
  }
}
