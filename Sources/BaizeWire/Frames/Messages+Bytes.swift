// Messages from and to arrays, for tests and tools. Where bytes are counted, use `FrameWriter`.

extension ClientMessage {
  /// Reads one message, without its length.
  public init(decoding bytes: [UInt8]) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try ClientMessage(decoding: UnsafeRawBufferPointer(buffer))
    }
  }

  /// The message's bytes, without their length: what a WebSocket carries.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  /// The message's frame: its bytes behind their length.
  public func framed() -> [UInt8] {
    var writer = FrameWriter(capacity: 256)
    writer.frame(self)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }
}

extension ServerMessage {
  /// Reads one message, without its length.
  public init(decoding bytes: [UInt8]) throws(DecodeError) {
    self = try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try ServerMessage(decoding: UnsafeRawBufferPointer(buffer))
    }
  }

  /// The message's bytes, without their length: what a WebSocket carries.
  public func encoded() -> [UInt8] {
    var writer = ByteWriter()
    encode(into: &writer)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  /// The message's frame: its bytes behind their length.
  public func framed() -> [UInt8] {
    var writer = FrameWriter(capacity: 256)
    writer.frame(self)
    return writer.withUnsafeBytes { [UInt8]($0) }
  }
}

extension FrameReader {
  /// Where the message lies whose frame begins at `position`; `nil` while it is incomplete.
  public func next(in bytes: [UInt8], from position: Int = 0) throws(DecodeError) -> Range<Int>? {
    try bytes.withUnsafeBufferPointer { (buffer) throws(DecodeError) in
      try next(in: UnsafeRawBufferPointer(buffer), from: position)
    }
  }
}
