import BaizeClient
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import Synchronization
import TestSupport
import Testing

/// An in-memory daemon and a byte stream to it: the minimum that another transport must provide.
private final class MemoryDaemon: Sendable {
  private struct State {
    var host = ShardHost(ShardHostOptions { $0.durability = .memory }, MemoryJournal())
    var streams: [UInt32: MemoryStream] = [:]
    var lastSlot: UInt32 = 0
  }

  private let state = Mutex(State())
  private let now = Instant(nanoseconds: 1)

  func open(_ stream: MemoryStream) -> UInt32 {
    state.withLock { state in
      state.lastSlot += 1
      state.streams[state.lastSlot] = stream
      _ = state.host.connect(slot: Int(state.lastSlot), at: now)
      return state.lastSlot
    }
  }

  func receive(_ bytes: [UInt8], on slot: UInt32) {
    turn { state in
      var position = 0
      while let range = try? FrameReader().next(in: bytes, from: position) {
        bytes[range].withUnsafeBytes {
          state.host.receive($0, on: ConnectionID(slot: slot, generation: 1), at: now)
        }
        position = range.upperBound
      }
    }
  }

  func close(_ slot: UInt32) {
    turn { state in
      state.host.closed(ConnectionID(slot: slot, generation: 1), at: now)
      state.streams[slot] = nil
    }
  }

  /// Closes every stream.
  func cut() {
    let streams = state.withLock { $0.streams }
    for (slot, stream) in streams.sorted(by: { $0.key < $1.key }) {
      close(slot)
      stream.close(reason: "cut")
    }
  }

  private func turn(_ body: (inout State) -> Void) {
    let sent = state.withLock { state in
      body(&state)
      var sent: [(MemoryStream, [UInt8])] = []
      let streams = state.streams
      try? state.host.settle(at: now) { id, frame in
        if let stream = streams[id.slot] { sent.append((stream, Array(frame))) }
      }
      return sent
    }
    for (stream, bytes) in sent { stream.deliver(bytes) }
  }
}

/// A stream to a server that answers what it is sent with other bytes.
private final class AnsweringStream: ByteStream {
  private struct State {
    var listener: ByteStreamListener?
    var isRequested = false
    var hasAnswer = false
  }

  private let answer: [UInt8]
  private let state = Mutex(State())

  init(_ answer: [UInt8]) { self.answer = answer }

  func open(_ listener: ByteStreamListener) {
    state.withLock { $0.listener = listener }
    listener.opened()
  }

  func receive() { deliver { $0.isRequested = true } }

  func send(_ bytes: [UInt8]) { deliver { $0.hasAnswer = true } }

  func close() {}

  private func deliver(_ change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      guard state.isRequested, state.hasAnswer else { return }
      (state.isRequested, state.hasAnswer) = (false, false)
      state.listener?.received(answer)
    }
  }
}

private final class MemoryStream: ByteStream {
  private struct State {
    var listener: ByteStreamListener?
    var slot: UInt32 = 0
    var waiting: [UInt8] = []
    var isRequested = false
  }

  private let daemon: MemoryDaemon
  private let state = Mutex(State())

  init(_ daemon: MemoryDaemon) { self.daemon = daemon }

  func open(_ listener: ByteStreamListener) {
    let slot = daemon.open(self)
    state.withLock {
      $0.listener = listener
      $0.slot = slot
    }
    listener.opened()
  }

  func receive() {
    state.withLock { $0.isRequested = true }
    deliver([])
  }

  func send(_ bytes: [UInt8]) { daemon.receive(bytes, on: state.withLock { $0.slot }) }

  func close() { daemon.close(state.withLock { $0.slot }) }

  func close(reason: String) { state.withLock { $0.listener }?.closed(reason: reason) }

  /// Delivers seven bytes at a time, so that every frame arrives in pieces.
  func deliver(_ bytes: [UInt8]) {
    state.withLock { state in
      state.waiting.append(contentsOf: bytes)
      guard state.isRequested, !state.waiting.isEmpty else { return }
      state.isRequested = false
      let piece = Array(state.waiting.prefix(7))
      state.waiting.removeFirst(piece.count)
      state.listener?.received(piece)
    }
  }
}

@Suite(.hangGuard)
struct StreamTests {
  @Test func `a client works over an in-memory stream`() async throws {
    let daemon = MemoryDaemon()
    let endpoint = Endpoint.stream { MemoryStream(daemon) }
    var configuration = ClientConfiguration(table: "t", tableType: "list?items=5")
    configuration.backoffMilliseconds = 5
    let one = try await TableClient.join(endpoint, configuration, timeout: timeLimit)
    let other = try await TableClient.join(endpoint, configuration, timeout: timeLimit)
    let submission = one.move(fromOffsets: [0], toOffset: 5, in: "items")
    #expect(try await submission.outcome.isAccepted)
    #expect(await eventually { other.itemIDs(in: "items") == one.itemIDs(in: "items") })
    let session = one.session
    daemon.cut()
    _ = try await one.move(fromOffsets: [0], toOffset: 5, in: "items").outcome
    #expect(await eventually { one.connection == .live && other.connection == .live && one.session == session })
    #expect(await eventually { other.itemIDs(in: "items") == one.itemIDs(in: "items") })
    await one.leave()
    #expect(await eventually { other.seats.count == 1 })
  }

  @Test(arguments: [
    (Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), "the answer is HTTP"),
    ([0x15, 3, 3, 0, 2, 2, 40], "the answer is TLS"),
  ])
  func `who has the address of another server is told so`(answer: [UInt8], told: String) async throws {
    let endpoint = Endpoint.stream { AnsweringStream(answer) }
    var configuration = ClientConfiguration(table: "t")
    configuration.backoffMilliseconds = 5
    // A busy machine may need longer for the first answer.
    var (why, timeout) = ("", 100)
    while !why.contains(told) {
      timeout *= 2
      do {
        _ = try await TableClient.join(endpoint, configuration, timeout: .milliseconds(timeout))
      } catch JoinError.unreachable(let reason) {
        why = reason
      }
    }
  }

  @Test func `an endpoint whose stream cannot be made is unreachable`() async throws {
    struct NoStream: Error {}
    let endpoint = Endpoint.stream { throw NoStream() }
    await #expect {
      _ = try await TableClient.join(endpoint, ClientConfiguration(table: "t"), timeout: .milliseconds(50))
    } throws: { error in
      guard case .unreachable(let why) = error as? JoinError else { return false }
      return why.contains("NoStream")
    }
  }
}
