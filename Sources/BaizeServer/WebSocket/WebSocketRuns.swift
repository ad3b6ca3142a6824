import BaizeHTTP
import BaizeWire

/// The frames of a batch in the form of WebSocket. The members of one view receive the same run, which is converted once.
struct WebSocketRuns: ~Copyable {
  private struct Converted {
    let run: Range<Int>
    let bytes: UnsafeRawBufferPointer
  }

  /// Memory that stays where it is until the batch is sent.
  private var chunks: [UnsafeMutableRawBufferPointer] = []
  private var used = 0
  /// The runs that were converted last.
  private var latest: [Converted] = []
  private var next = 0

  private static let chunkBytes = 1 << 17
  private static let latestMax = 4
  private let reader = FrameReader(frameBytesMax: .max)

  deinit { for chunk in chunks { chunk.deallocate() } }

  /// The memory that is kept, in bytes.
  var memoryBytes: Int { chunks.reduce(0) { $0 + $1.count } }

  /// Returns a run of a batch's bytes with WebSocket's headers. Valid until ``removeAll()``.
  mutating func convert(_ run: Range<Int>, of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    for converted in latest where converted.run == run { return converted.bytes }
    let converted = Converted(run: run, bytes: write(UnsafeRawBufferPointer(rebasing: bytes[run])))
    if latest.count < Self.latestMax {
      latest.append(converted)
    } else {
      latest[next % Self.latestMax] = converted
      next += 1
    }
    return converted.bytes
  }

  private mutating func write(_ frames: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    // No frame becomes more than twice as long: an empty one has one byte, then two.
    let target = room(2 * frames.count)
    guard let from = frames.baseAddress, let to = target.baseAddress else { return frames }
    var (position, end) = (0, 0)
    while position < frames.count, let payload = try? reader.next(in: frames, from: position) {
      WebSocketFrame.writeHeader(.binary, payload: payload.count, to: to + end)
      end += WebSocketFrame.headerBytes(payload: payload.count)
      (to + end).copyMemory(from: from + payload.lowerBound, byteCount: payload.count)
      end += payload.count
      position = payload.upperBound
    }
    used += end
    return UnsafeRawBufferPointer(rebasing: target[..<end])
  }

  private mutating func room(_ bytes: Int) -> UnsafeMutableRawBufferPointer {
    if chunks.isEmpty || chunks[chunks.count - 1].count - used < bytes {
      chunks.append(.allocate(byteCount: max(bytes, Self.chunkBytes), alignment: 16))
      used = 0
    }
    return UnsafeMutableRawBufferPointer(rebasing: chunks[chunks.count - 1][used...])
  }

  /// Ends the batch: its runs are sent, or were copied.
  mutating func removeAll() {
    latest.removeAll(keepingCapacity: true)
    used = 0
    while chunks.count > 1 || (chunks.first?.count ?? 0) > Self.chunkBytes { chunks.removeLast().deallocate() }
  }
}
