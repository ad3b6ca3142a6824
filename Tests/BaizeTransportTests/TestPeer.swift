import BaizeLaboratory
import Foundation
import Testing

#if canImport(Darwin)
  let packetSocket = SOCK_SEQPACKET
#else
  let packetSocket = Int32(SOCK_SEQPACKET.rawValue)
#endif

/// The other end of a connection, which the test drives by plain system calls.
typealias TestPeer = BlockingSocket

extension BlockingSocket {
  /// Returns the ends of a Unix socket pair: one for a loop, one for the test.
  static func pair(_ type: Int32 = stream) throws -> (descriptor: Int32, peer: BlockingSocket) {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
    return (ends[0], BlockingSocket(ends[1]))
  }

  /// Reads until `count` bytes are there, or no more arrive.
  func read(exactly count: Int) -> [UInt8] {
    var all: [UInt8] = []
    while all.count < count, let more = read(upTo: count - all.count), !more.isEmpty { all += more }
    return all
  }

  /// Reads everything that has arrived, without waiting.
  ///
  /// - Returns: Whether the stream has ended.
  func take(into all: inout [UInt8]) -> Bool {
    while let more = read(upTo: 1 << 20, waiting: false) {
      if more.isEmpty { return true }
      all += more
    }
    return false
  }

  /// Closes so that the other end receives a reset instead of an end of stream.
  func reset() {
    // A `linger`, in its layout: on, for zero seconds.
    set(SOL_SOCKET, SO_LINGER, (1, 0) as (Int32, Int32))
    close()
  }
}
