/// Operations and their diffs as sent over the wire, per session of one table, for the relay.
struct Recording: Sendable {
  /// Frames, with their lengths.
  private(set) var operations: [UInt64: [[UInt8]]] = [:]
  private(set) var diffs: [UInt64: [[UInt8]]] = [:]
  static let framesPerSessionMax = 512

  mutating func note(operation frame: [UInt8], of session: UInt64) {
    guard operations[session, default: []].count < Self.framesPerSessionMax else { return }
    operations[session, default: []].append(frame)
  }

  /// - Parameter frame: The frame without its length.
  mutating func note(diff frame: UnsafeRawBufferPointer, of session: UInt64) {
    guard diffs[session, default: []].count < Self.framesPerSessionMax, frame.count < 128 else { return }
    diffs[session, default: []].append([UInt8(frame.count)] + frame)
  }

  /// Whether each of so many sessions has operations and diffs.
  func covers(sessions: Int) -> Bool {
    (1...UInt64(sessions)).allSatisfy { operations[$0]?.isEmpty == false && diffs[$0]?.isEmpty == false }
  }
}

extension Recording {
  /// The recording as bytes, for the relay's process: session, number of operations, number of diffs, then each frame
  /// preceded by its length; all numbers in four bytes, little-endian.
  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    func append(_ number: Int) {
      for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    for session in operations.keys.sorted() {
      let lists = [operations[session] ?? [], diffs[session] ?? []]
      append(Int(session))
      for list in lists { append(list.count) }
      for frame in lists.joined() {
        append(frame.count)
        bytes.append(contentsOf: frame)
      }
    }
    return bytes
  }

  /// - Returns: `nil` for bytes that are no recording.
  init?(bytes: [UInt8]) {
    var rest = bytes[...]
    func number() -> Int? {
      guard rest.count >= 4 else { return nil }
      defer { rest = rest.dropFirst(4) }
      return rest.prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    func frames(_ count: Int) -> [[UInt8]]? {
      var frames: [[UInt8]] = []
      for _ in 0..<count {
        guard let length = number(), rest.count >= length else { return nil }
        frames.append([UInt8](rest.prefix(length)))
        rest = rest.dropFirst(length)
      }
      return frames
    }
    while !rest.isEmpty {
      guard let session = number(), let operationCount = number(), let diffCount = number(),
        let operations = frames(operationCount), let diffs = frames(diffCount)
      else { return nil }
      self.operations[UInt64(session)] = operations
      self.diffs[UInt64(session)] = diffs
    }
  }
}
