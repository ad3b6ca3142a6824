import BaizeTable
import BaizeTransport
import BaizeWire

/// Drives the relay as ``LoadRun`` drives the daemon: as many connections, the same frames, the same window.
final class RelayRun: OutgoingHandler {
  let loop: EventLoop
  private let options: LoadOptions
  private let recording: Recording
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var connections: [(key: ConnectionKey, table: Int, session: UInt64, next: Int)] = []
  private var places: [Int] = []
  private(set) var connectedCount = 0
  private(set) var failure: String?
  private var deliveries: UInt64 = 0
  private var isSubmitting = false

  init(_ options: LoadOptions, _ recording: Recording) throws {
    self.options = options
    self.recording = recording
    loop = try EventLoop(waker: try Waker())
  }

  func begin() throws {
    for table in 0..<options.tables {
      for session in 1...options.players {
        let key = try loop.connect(to: options.address)
        while places.count <= Int(key.slot) { places.append(-1) }
        places[Int(key.slot)] = connections.count
        connections.append((key, table, UInt64(session), 0))
      }
    }
  }

  var isEveryoneConnected: Bool { connectedCount == connections.count }

  func startSubmitting() {
    isSubmitting = true
    for place in connections.indices {
      for _ in 0..<options.window { submit(place) }
    }
  }

  func stopSubmitting() { isSubmitting = false }

  func takeDeliveries() -> UInt64 {
    defer { deliveries = 0 }
    return deliveries
  }

  private func submit(_ place: Int) {
    let connection = connections[place]
    guard let operations = recording.operations[connection.session], !operations.isEmpty else { return }
    connections[place].next = (connection.next + 1) % operations.count
    operations[connection.next].withUnsafeBytes { _ = loop.append(connection.key, $0) }
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    let place = places[Int(connection.slot)]
    let session = connections[place].session
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        guard case .diff(_, let author, _) = FrameGlance(UnsafeRawBufferPointer(rebasing: bytes[range])) else {
          continue
        }
        deliveries += 1
        if author == session, isSubmitting { submit(place) }
      }
    } catch {
      failure = "the relay sent what is no frame: \(error)"
    }
    return position
  }

  func connected(_ connection: ConnectionKey) {
    let place = places[Int(connection.slot)]
    var join: [UInt8] = [8]
    for value in [UInt32(connections[place].table), UInt32(connections[place].session)] {
      for shift in stride(from: 0, to: 32, by: 8) { join.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }
    join.withUnsafeBytes { _ = loop.append(connection, $0) }
    connectedCount += 1
  }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { failure = "cannot connect: \(error)" }
  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { failure = "connection closed: \(reason)" }
}
