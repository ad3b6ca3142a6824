import BaizeDriver
import BaizeLaboratory
import Testing

@testable import BaizeTransport

/// A loop with a handler that records its events and calls the test's closures.
final class TestLoop: EventLoopHandler {
  enum Event: Equatable {
    case accepted(ConnectionKey)
    case received(ConnectionKey, [UInt8])
    case connected(ConnectionKey)
    case connectFailed(ConnectionKey, SystemError)
    case closed(ConnectionKey, CloseReason)
    case drained(ConnectionKey, Int)
    case woken
    case acceptPaused(SystemError)
  }

  let waker: Waker
  let loop: EventLoop
  var events: [Event] = []
  var wakes = 0
  var peers: [SocketAddress] = []
  var turns: [UInt64] = []
  var nextDeadline: UInt64?
  /// Returns how many bytes are consumed; by default all of them.
  var onReceived: (ConnectionKey, UnsafeRawBufferPointer) -> Int = { $1.count }
  var onWoken: () -> Void = {}
  var onDrained: (ConnectionKey, Int) -> Void = { _, _ in }
  var onTurnEnded: () -> Void = {}
  var onClosed: (ConnectionKey) -> Void = { _ in }

  init(
    _ kind: SelectorKind, waker: Waker? = nil, leftoverBytesMax: Int = TransportLimits.leftoverBytes,
    queuedBytesMax: Int = .max
  ) throws {
    let waker = try waker ?? Waker()
    self.waker = waker
    loop = try EventLoop(
      selector: kind, waker: waker, leftoverBytesMax: leftoverBytesMax, queuedBytesMax: queuedBytesMax)
  }

  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    events.append(.accepted(connection))
    peers.append(peer)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    events.append(.received(connection, Array(bytes)))
    return onReceived(connection, bytes)
  }

  func connected(_ connection: ConnectionKey) { events.append(.connected(connection)) }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {
    events.append(.connectFailed(connection, error))
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    events.append(.closed(connection, reason))
    onClosed(connection)
  }

  func drained(_ connection: ConnectionKey, pendingBytes: Int) {
    events.append(.drained(connection, pendingBytes))
    onDrained(connection, pendingBytes)
  }

  func woken() {
    wakes += 1
    events.append(.woken)
    onWoken()
  }

  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) { events.append(.acceptPaused(error)) }

  func turnEnded(now: UInt64) {
    turns.append(now)
    onTurnEnded()
  }
}

extension TestLoop {
  /// Makes turns until the condition holds.
  ///
  /// - Returns: Whether it ever did.
  func turns(until condition: () -> Bool) throws -> Bool {
    let end = MonotonicClock.now() + HangGuard.nanoseconds
    while !condition() {
      if MonotonicClock.now() >= end { return false }
      try loop.turn(self, timeout: 1_000_000)
    }
    return true
  }

  /// Makes turns until the loop is quiet, so that it waits for a deadline. What still arrives, such as the kernel's news of more
  /// room, makes a few turns; a loop that spins makes one after the other.
  ///
  /// - Returns: Whether it became quiet.
  func becomesQuiet() throws -> Bool {
    let first = turns.count
    defer { nextDeadline = nil }
    while turns.count - first < Self.restlessTurnsMax {
      let (deadline, before) = (MonotonicClock.now() + 20_000_000, turns.count)
      nextDeadline = deadline
      while turns.last ?? 0 < deadline { try loop.turn(self, timeout: HangGuard.nanoseconds) }
      if turns.count - before <= Self.quietTurnsMax { return true }
    }
    return false
  }

  /// The turns to a deadline of a loop that waits: the one at it, and one before it that something caused.
  private static let quietTurnsMax = 2
  private static let restlessTurnsMax = 10_000

  /// Makes turns until everything is reported that was ready before: the waker, which is ready last, and what follows in the next
  /// turn.
  func settle() throws {
    for _ in 0..<2 {
      let before = wakes
      waker.wake()
      _ = try turns(until: { wakes > before })
    }
    events.removeAll { $0 == .woken }
  }

  func adopt(_ descriptor: Int32) throws -> ConnectionKey {
    try loop.adopt(DetachedConnection(descriptor: descriptor))
  }

  /// Adopts one end of a pair of connected sockets.
  func adoptPeer(_ kind: Int32 = BlockingSocket.stream) throws -> (ConnectionKey, TestPeer) {
    let (descriptor, peer) = try TestPeer.pair(kind)
    return (try adopt(descriptor), peer)
  }

  func listenOnLoopback() throws -> UInt16 {
    let listener = try loop.listen(on: .loopback(port: 0))
    return loop.address(of: listener)?.port ?? 0
  }

  /// Returns a TCP connection from a peer of the test to this loop.
  func acceptPeer(receiveBufferBytes: Int32? = nil) throws -> (ConnectionKey, TestPeer) {
    let peer = try TestPeer(port: listenOnLoopback(), receiveBufferBytes: receiveBufferBytes)
    let before = events.count
    var key: ConnectionKey?
    _ = try turns(until: {
      for case .accepted(let connection) in events[before...] { key = connection }
      return key != nil
    })
    guard let key else { throw SystemError(call: "accept in a test", errno: 0) }
    return (key, peer)
  }

  /// Makes turns until a peer has read all of these bytes, after those that it has read before, and expects no others.
  func turns(until peer: TestPeer, reads expected: [UInt8], after read: [UInt8] = []) throws {
    var got = read
    try #require(
      try turns(until: {
        _ = peer.take(into: &got)
        return got.count >= expected.count
      }))
    let isSame = got == expected
    #expect(isSame, "\(got.count) of \(expected.count) bytes")
  }

  func send(_ connection: ConnectionKey, _ bytes: [UInt8]) {
    bytes.withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  var closings: [Event] {
    events.filter { if case .closed = $0 { true } else { false } }
  }

  func received(from connection: ConnectionKey) -> [[UInt8]] {
    events.compactMap { if case .received(connection, let bytes) = $0 { bytes } else { nil } }
  }
}

/// A small generator whose results depend on the seed alone.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}

/// Returns `count` bytes that differ enough to reveal a shift or a gap.
func pattern(_ count: Int) -> [UInt8] {
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  while bytes.count < count { bytes.append(contentsOf: patternBlock.prefix(count - bytes.count)) }
  return bytes
}

/// A prime number of bytes, so that no buffer's size divides it.
private let patternBlock = (0..<65_521).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }
