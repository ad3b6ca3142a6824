/// All that a loop holds of one connection. An idle one is this and nothing else: about a hundred bytes.
struct ConnectionSlot: ~Copyable {
  ///     free → connecting → open → flushing → lingering → free
  enum Phase: BitwiseCopyable {
    case free
    /// The connect is under way; what is appended waits for it.
    case connecting
    case open
    /// The handler has closed it; what was queued goes out, what comes in is thrown away.
    case flushing
    /// Everything is out and the sending side has ended. We wait for the peer to end its own: closing with unread input
    /// would make the kernel send a reset, which may overtake what we wrote.
    case lingering
  }

  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// The handler wants no input for now.
    static let paused = Flags(rawValue: 1)
    /// It stands in the loop's list of connections to flush.
    static let dirty = Flags(rawValue: 2)
    /// The kernel's buffer was full; there is no use in writing before the selector says so.
    static let blocked = Flags(rawValue: 4)
    /// `drained` is owed to the handler.
    static let drainOwed = Flags(rawValue: 8)
    /// The peer has ended its side: nothing more to read.
    static let peerEnded = Flags(rawValue: 16)
    /// Not with the selector: it would report a hang-up over and over that the handler does not want to hear yet.
    static let unwatched = Flags(rawValue: 32)
  }

  var generation: UInt32 = 1
  var descriptor: Int32 = -1
  var phase = Phase.free
  var flags: Flags = []
  /// What the selector was told last.
  var interest: Interest = []
  var output = WriteQueue()
  var leftover = ByteQueue()
  /// What will be said when a close that is under way has ended.
  var closeReason = CloseReason.requested
  /// The next free slot, while this one is free.
  var nextFree: UInt32 = 0

  /// What the selector ought to be told.
  var wantedInterest: Interest {
    var wanted: Interest = []
    if phase == .connecting || flags.contains(.blocked) { wanted.insert(.write) }
    if phase != .connecting, flags.isDisjoint(with: [.paused, .peerEnded]) { wanted.insert(.read) }
    return wanted
  }
}
