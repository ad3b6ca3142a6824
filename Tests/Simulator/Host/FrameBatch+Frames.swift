package import BaizeSync
import BaizeTable
package import BaizeWire

extension FrameBatch {
  /// Calls `body` with every frame, for each of its connections.
  package func forEachFrame(_ body: (ConnectionID, UnsafeRawBufferPointer) -> Void) {
    withUnsafeBytes { bytes in
      for delivery in deliveries {
        body(
          delivery.connection, UnsafeRawBufferPointer(rebasing: bytes[Int(delivery.start)..<Int(delivery.end)]))
      }
    }
  }
}

extension ServerMessage {
  /// Decodes a delivery, which is exactly one frame with its length.
  ///
  /// - Throws: ``InvariantViolation`` if it is not, and a `DecodeError` if it contains no valid message.
  package init(delivery frame: UnsafeRawBufferPointer) throws {
    guard let range = try FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax).next(in: frame),
      range.upperBound == frame.count
    else { throw InvariantViolation("I8", "a delivery is not exactly one frame") }
    self = try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: frame[range]))
  }
}
