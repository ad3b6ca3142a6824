import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization

/// A spectator that joins a table on a thread of its own, reads its snapshot to the end and leaves.
final class Newcomer: Sendable {
  private let loaded: LoadedFlag
  private let thread: LoopThread

  private final class LoadedFlag: Sendable {
    let value = Atomic(false)
  }

  init(_ options: LoadOptions) throws {
    let loaded = LoadedFlag()
    self.loaded = loaded
    let address = options.address
    let table = options.tableName(0)
    thread = try LoopThread(name: "newcomer") {
      guard let loop = try? EventLoop(waker: Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16) else {
        return
      }
      let reader = Reader(loop, table: table)
      guard (try? loop.connect(to: address)) != nil else { return }
      let end = MonotonicClock.now() + 60_000_000_000
      while !reader.isDone, MonotonicClock.now() < end { try? loop.turn(reader, timeout: 100_000_000) }
      loaded.value.store(reader.isComplete, ordering: .releasing)
    }
  }

  var isLoaded: Bool { loaded.value.load(ordering: .acquiring) }

  func wait() { thread.join() }

  private final class Reader: OutgoingHandler {
    private let loop: EventLoop
    private let table: String
    private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
    private(set) var isDone = false
    private(set) var isComplete = false

    init(_ loop: EventLoop, table: String) {
      self.loop = loop
      self.table = table
    }

    func connected(_ connection: ConnectionKey) {
      let hello = ClientMessage.hello(Hello(table: table, name: "newcomer", role: .spectator)).framed()
      hello.withUnsafeBytes { _ = loop.append(connection, $0) }
    }

    func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
      var position = 0
      while let range = try? reader.next(in: bytes, from: position) {
        position = range.upperBound
        let frame = UnsafeRawBufferPointer(rebasing: bytes[range])
        if case .snapshot(let part)? = try? ServerMessage(decoding: frame), part.isComplete {
          isComplete = true
          isDone = true
        }
      }
      return position
    }

    func closed(_ connection: ConnectionKey, _ reason: CloseReason) { isDone = true }
    func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { isDone = true }
  }
}
