import BaizeSync
import BaizeTable
package import BaizeTransport
import BaizeWire

/// A fault that a relay makes in the stream of diffs of one connection.
package enum DiffDoctor: String, CaseIterable, Sendable {
  case loses
  case doubles
  case reorders
  case diverges

  /// The number of the diff that is doctored.
  private static let position = 20

  /// Returns a relay that doctors the stream of one connection.
  package func relay(to address: SocketAddress, connection: Int) throws -> ChangingRelay {
    try ChangingRelay(to: address) { number in
      guard number == connection else { return { $0 } }
      var stream = Stream(fault: self)
      return { stream.change($0) }
    }
  }

  private struct Stream {
    let fault: DiffDoctor
    private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
    private var rest: [UInt8] = []
    private var count = 0
    /// A frame that is sent behind the next one.
    private var held: [UInt8] = []

    init(fault: DiffDoctor) { self.fault = fault }

    mutating func change(_ bytes: [UInt8]) -> [UInt8] {
      rest += bytes
      var (result, start) = ([UInt8](), 0)
      rest.withUnsafeBytes { bytes in
        while let range = try? reader.next(in: bytes, from: start) {
          result += doctored(UnsafeRawBufferPointer(rebasing: bytes[range]), [UInt8](bytes[start..<range.upperBound]))
          start = range.upperBound
        }
      }
      rest.removeFirst(start)
      return result
    }

    private static func removal(_ change: Change) -> Change {
      if case .moved(let items, _) = change { .removed(items) } else { change }
    }

    private mutating func doctored(_ message: UnsafeRawBufferPointer, _ frame: [UInt8]) -> [UInt8] {
      guard case .diff(var diff)? = try? ServerMessage(decoding: message) else { return frame }
      count += 1
      if count == DiffDoctor.position + 1, !held.isEmpty { return frame + held }
      guard count == DiffDoctor.position else { return frame }
      switch fault {
      case .loses: return []
      case .doubles: return frame + frame
      case .reorders:
        held = frame
        return []
      case .diverges:
        // Without an item, a copy never recovers; one with an item in a wrong position does, when that is moved again.
        diff.changes = InlineList(diff.changes.map(Self.removal))
        return ServerMessage.diff(diff).framed()
      }
    }
  }
}
