/// A loop's state of one connection. An idle one takes nothing else: about a hundred bytes.
struct ConnectionSlot: ~Copyable {
  ///     free → connecting → open → flushing → lingering → free
  enum Phase: BitwiseCopyable {
    case free
    /// The connect is in progress; queued bytes wait for it.
    case connecting
    case open
    /// The handler has closed it; queued bytes are sent, input is discarded.
    case flushing
    /// Everything is sent and the sending side has ended. The loop waits for the peer to end its own side: closing with
    /// unread input would make the kernel send a reset, which may overtake the last bytes.
    case lingering
  }

  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// The handler has paused reading.
    static let paused = Flags(rawValue: 1)
    /// It is in the loop's list of connections to flush.
    static let dirty = Flags(rawValue: 2)
    /// The kernel's buffer was full; there is nothing to write before the selector reports it.
    static let blocked = Flags(rawValue: 4)
    /// The handler is to receive `drained`.
    static let notifiesDrain = Flags(rawValue: 8)
    /// The peer has ended its side: there is nothing more to read.
    static let peerEnded = Flags(rawValue: 16)
    /// Not registered with the selector, which would report a hang-up again and again while reading is paused.
    static let unwatched = Flags(rawValue: 32)
    /// The handler is to receive `connected` once TLS is established.
    static let connects = Flags(rawValue: 64)
  }

  var generation: UInt32 = 1
  var descriptor: Int32 = -1
  var phase = Phase.free
  var flags: Flags = []
  /// The number of bits of the audience that is known; 0 for none.
  var audienceBits: UInt8 = 0
  /// The interest that the selector knows.
  var interest: Interest = []
  /// The handler receives `drained` once no more than this many bytes are queued.
  var drainMarkBytes: UInt32 = 0
  /// TLS, if the connection has it.
  var tls: TLSSession?
  var output = WriteQueue()
  var leftover = ByteQueue()
  /// The reason to report when the close in progress has ended.
  var closeReason = CloseReason.requested
  /// The next free slot, while this one is free.
  var nextFree: UInt32 = 0

  /// The interest that the selector should know.
  var wantedInterest: Interest {
    var wanted: Interest = []
    if phase == .connecting || flags.contains(.blocked) { wanted.insert(.write) }
    if phase != .connecting, flags.isDisjoint(with: [.paused, .peerEnded]) { wanted.insert(.read) }
    return wanted
  }
}
