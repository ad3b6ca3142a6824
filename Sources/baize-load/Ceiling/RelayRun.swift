import BaizeHarness
import BaizeTable
import BaizeTransport
import BaizeWire

/// Drives the relay as ``LoadRun`` drives the daemon: as many connections, the same frames, the same window.
final class RelayRun: FrameHandler {
  let connections: ConnectionSet
  private let options: LoadOptions
  private let recording: Recording
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var members: [(key: ConnectionKey, table: Int, session: UInt64, next: Int)] = []
  private var connectedCount = 0
  private(set) var failure: String?
  private var deliveries: UInt64 = 0
  private var isSubmitting = false

  init(_ options: LoadOptions, _ recording: Recording) throws {
    self.options = options
    self.recording = recording
    connections = try ConnectionSet()
  }

  func begin() throws {
    for table in 0..<options.tables {
      for session in 1...options.players {
        let key = try connections.connect(to: options.address, as: members.count)
        members.append((key, table, UInt64(session), 0))
      }
    }
  }

  var isEveryoneConnected: Bool { connectedCount == members.count }

  func startSubmitting() {
    isSubmitting = true
    for number in members.indices {
      for _ in 0..<options.window { submit(number) }
    }
  }

  func takeDeliveries() -> UInt64 {
    defer { deliveries = 0 }
    return deliveries
  }

  private func submit(_ number: Int) {
    let member = members[number]
    guard let operations = recording.operations[member.session], !operations.isEmpty else { return }
    members[number].next = (member.next + 1) % operations.count
    operations[member.next].withUnsafeBytes { _ = connections.loop.append(member.key, $0) }
  }

  /// Reads frames itself: a call for each would make the harness the limit.
  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let number = connections.number(of: connection) else { return bytes.count }
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        receive(UnsafeRawBufferPointer(rebasing: bytes[range]), number)
      }
    } catch {
      failure = "the relay sent what cannot be read: \(error)"
    }
    return position
  }

  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) {
    guard let diff = DiffHeader(frame) else { return }
    deliveries += 1
    if diff.author == members[number].session, isSubmitting { submit(number) }
  }

  func opened(_ number: Int) {
    let member = members[number]
    var join: [UInt8] = [8]
    for value in [UInt32(member.table), UInt32(member.session)] {
      for shift in stride(from: 0, to: 32, by: 8) { join.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
    }
    join.withUnsafeBytes { _ = connections.loop.append(member.key, $0) }
    connectedCount += 1
  }

  func ended(_ number: Int, _ reason: String) { failure = reason }
}
