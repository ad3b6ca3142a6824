/// A message of one side, with its encodings as arrays for tests and tools. On a hot path, use `FrameWriter`.
package protocol WireMessage {
  init(decoding bytes: UnsafeRawBufferPointer) throws(DecodeError)
  func encode(into writer: inout ByteWriter)
}

extension ClientMessage: WireMessage {}
extension ServerMessage: WireMessage {}

extension WireMessage {
  /// Decodes one message, without its length.
  package init(decoding bytes: [UInt8]) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try Self(decoding: UnsafeRawBufferPointer(buffer))
    }
  }

  /// Returns the message's bytes, without their length: the content of a WebSocket message.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  /// Returns the message's frame: its bytes, preceded by their length.
  package func framed() -> [UInt8] {
    var writer = ByteWriter()
    writer.delimited { encode(into: &$0) }
    return writer.withUnsafeBytes { [UInt8]($0) }
  }
}

extension FrameReader {
  /// Returns the range of the message whose frame begins at `position`; `nil` while it is incomplete.
  public func next(in bytes: [UInt8], from position: Int = 0) throws(DecodeError) -> Range<Int>? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try next(in: UnsafeRawBufferPointer(buffer), from: position)
    }
  }
}
