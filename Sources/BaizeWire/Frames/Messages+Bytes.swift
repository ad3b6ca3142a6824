// Messages from and to arrays, for tests and tools. On a hot path, use `FrameWriter`.

extension ClientMessage {
  /// Decodes one message, without its length.
  public init(decoding bytes: [UInt8]) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try ClientMessage(decoding: UnsafeRawBufferPointer(buffer))
    }
  }

  /// Returns the message's bytes, without their length: the content of a WebSocket message.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  /// Returns the message's frame: its bytes, preceded by their length.
  public func framed() -> [UInt8] {
    var writer = FrameWriter(capacity: 256)
    writer.frame(self)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }
}

extension ServerMessage {
  /// Decodes one message, without its length.
  public init(decoding bytes: [UInt8]) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try ServerMessage(decoding: UnsafeRawBufferPointer(buffer))
    }
  }

  /// Returns the message's bytes, without their length: the content of a WebSocket message.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  /// Returns the message's frame: its bytes, preceded by their length.
  public func framed() -> [UInt8] {
    var writer = FrameWriter(capacity: 256)
    writer.frame(self)
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
