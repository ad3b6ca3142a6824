import BaizeTable
import BaizeWire

/// A table that is being read from the journal, or made, and who waits for it.
struct WaitingTable {
  /// Hellos in the order in which they came.
  var hellos: [(connection: ConnectionID, hello: Hello)] = []
  /// Connections that were at the table when it had to be loaded anew.
  var members: [SuspendedMember] = []
  /// Whose drags they may have been told of: those went with the table, and the word of an end with the turn that said it.
  var draggers: [SessionID] = []
  /// The last epoch that any of them saw.
  var epoch = Epoch(rawValue: 0)
  /// Whether the host was asked for it.
  var isRequested = false
  /// What it is being made by, if so, and about how much will lie on it.
  var wish: Hello?
  var contentBytes = 0
}

/// What a connection sent while its table was being read or made, to be heard when that is there.
struct WaitingFrames {
  private(set) var frames: [[UInt8]] = []
  /// What they take in memory, about.
  private(set) var byteCount = 0

  mutating func append(_ frame: UnsafeRawBufferPointer) {
    frames.append([UInt8](frame))
    // An array is more than what it holds.
    byteCount += frame.count + 32
  }
}
