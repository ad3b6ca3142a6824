import Synchronization

/// The bytes of the last write.
final class PreviousBytes: Sendable {
  private let bytes = Mutex<[UInt8]?>(nil)

  func exchange(_ new: [UInt8]) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = new }
      return bytes
    }
  }
}
