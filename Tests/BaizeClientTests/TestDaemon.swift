import BaizeLaboratory
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// A daemon with one shard and no journal, on a thread of its own.
final class TestDaemon: Sendable {
  let address: SocketAddress
  private let mailbox: Mailbox<Shard.Message>
  private let discarded: Counter
  private let accepted: Counter
  private let thread: LoopThread

  init(limits: SyncLimits = .patient, isOpen: Bool = true, port: UInt16 = 0) throws {
    let waker = try Waker()
    let mailbox = Mailbox<Shard.Message>(waker: waker)
    self.mailbox = mailbox
    let shard = try Shard(waker: waker, mailbox: mailbox, limits: limits, isOpen: isOpen, port: port)
    address = shard.address
    discarded = shard.discarded
    accepted = shard.accepted
    let handover = Mutex<Shard?>(shard)
    thread = try LoopThread(name: "test-daemon") {
      let shard = handover.withLock { $0.take() }
      guard let shard else { return }
      _ = try? shard.loop.run(shard)
    }
  }

  /// Closes every connection, as a failing network would.
  func cutConnections() { mailbox.send(.cut) }

  /// Closes the oldest connection.
  func cutOldest() { mailbox.send(.cutOldest) }

  /// Stops or resumes reading.
  func pauseReading(_ isPaused: Bool) async {
    await withCheckedContinuation { mailbox.send(.pauseReading(isPaused, done: $0)) }
  }

  /// Stops or resumes sending: the frames meanwhile are lost.
  func discardOutput(_ discards: Bool) async {
    await withCheckedContinuation { mailbox.send(.discardOutput(discards, done: $0)) }
  }

  /// The number of discarded frames.
  var discardedCount: Int { discarded.value }

  /// The number of connections that it has accepted.
  var acceptedCount: Int { accepted.value }

  /// Sends every client a goodbye as before a shutdown, and keeps running.
  func shutDown() { mailbox.send(.shutDown) }

  func stop() {
    mailbox.send(.stop)
    thread.join()
  }

  deinit { mailbox.send(.stop) }
}

final class Shard: EventLoopHandler {
  enum Message: Sendable {
    case cut
    case cutOldest
    case pauseReading(Bool, done: CheckedContinuation<Void, Never>)
    case discardOutput(Bool, done: CheckedContinuation<Void, Never>)
    case shutDown
    case stop
  }

  let loop: EventLoop
  let address: SocketAddress
  let discarded = Counter()
  let accepted = Counter()
  /// How many there were: each has keys and tickets of its own.
  private static let count = Atomic<Int>(0)
  private let mailbox: Mailbox<Message>
  private var host: ShardHost<MemoryJournal>
  /// In the order in which they came.
  private var connections: [ConnectionKey] = []
  private var isReadingPaused = false
  private var discardsOutput = false
  private var tickAt: UInt64 = 0

  init(waker: Waker, mailbox: Mailbox<Message>, limits: SyncLimits, isOpen: Bool, port: UInt16) throws {
    loop = try EventLoop(waker: waker)
    self.mailbox = mailbox
    let options = ShardHostOptions {
      $0.seed = UInt64(Self.count.wrappingAdd(1, ordering: .relaxed).newValue)
      $0.limits = limits
      $0.durability = .memory
      $0.allowsSeeds = true
      $0.isOpen = isOpen
    }
    host = ShardHost(options, MemoryJournal())
    let listener = try loop.listen(on: .loopback(port: port))
    address = loop.address(of: listener) ?? .loopback(port: 0)
  }

  private var now: Instant { Instant(nanoseconds: loop.now) }

  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    connections.append(connection)
    accepted.add(1)
    host.shard.connected(connection.id, at: now)
    if isReadingPaused { loop.pauseReading(connection) }
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    do {
      while let range = try FrameReader().next(in: bytes, from: position) {
        host.receive(UnsafeRawBufferPointer(rebasing: bytes[range]), on: connection.id, at: now)
        position = range.upperBound
      }
    } catch {
      host.shard.receivedMalformedFrame(error, on: connection.id, at: now)
      return bytes.count
    }
    return position
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    guard let index = connections.firstIndex(of: connection) else { return }
    connections.remove(at: index)
    host.closed(connection.id, at: now)
  }

  func woken() {
    var messages: [Message] = []
    mailbox.drain(into: &messages)
    for message in messages {
      switch message {
      case .cut: for connection in connections { loop.close(connection) }
      case .cutOldest: if let first = connections.first { loop.close(first) }
      case .pauseReading(let isPaused, let done):
        done.resume()
        isReadingPaused = isPaused
        for connection in connections {
          if isPaused { loop.pauseReading(connection) } else { loop.resumeReading(connection) }
        }
      case .discardOutput(let discards, let done):
        done.resume()
        discardsOutput = discards
      case .shutDown: host.shutDown(at: now)
      case .stop: loop.stop()
      }
    }
  }

  func turnEnded(now time: UInt64) {
    if time >= tickAt {
      tickAt = time + 200_000_000
      host.tick(at: now)
    }
    _ = host.endTurn()
    while let batch = host.nextReleased() {
      batch.forEachFrame { id, frame in
        if discardsOutput { discarded.add(1) } else { loop.append(id.key, frame) }
      }
      for connection in batch.closes { loop.close(connection.key, afterFlush: true) }
      host.recycle(batch)
    }
  }

  var nextDeadline: UInt64? { host.shard.wantsTurn ? loop.now : tickAt }

  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
  func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
}

extension ConnectionKey {
  fileprivate var id: ConnectionID { ConnectionID(slot: slot, generation: generation) }
}

extension ConnectionID {
  fileprivate var key: ConnectionKey { ConnectionKey(slot: slot, generation: generation) }
}

extension SyncLimits {
  /// The default limits, with time for a slow machine.
  static var patient: SyncLimits {
    var limits = SyncLimits()
    limits.waitForSlowMachines()
    return limits
  }
}

/// A counter that two threads share.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .relaxed) }

  func add(_ count: Int) { number.add(count, ordering: .relaxed) }
}
