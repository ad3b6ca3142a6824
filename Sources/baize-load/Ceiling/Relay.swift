import BaizeTransport
import BaizeWire

/// The ceiling: the same transport and the same bytes without judging. It answers each frame to all connections of its table
/// with the next diff that a daemon sent for the same author.
final class Relay: EventLoopHandler {
  let loop: EventLoop
  private let recording: Recording
  private let reader = FrameReader()
  /// By slot: table and session; −1 before the first frame.
  private var seats: [(table: Int, session: UInt64, next: Int)] = []
  private var tables: [[ConnectionKey]] = []

  init(_ recording: Recording) throws {
    self.recording = recording
    loop = try EventLoop(waker: try Waker())
  }

  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    while seats.count <= Int(connection.slot) { seats.append((-1, 0, 0)) }
    seats[Int(connection.slot)] = (-1, 0, 0)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        receive(UnsafeRawBufferPointer(rebasing: bytes[range]), connection)
        position = range.upperBound
      }
    } catch {
      loop.close(connection)
    }
    return position
  }

  private func receive(_ frame: UnsafeRawBufferPointer, _ connection: ConnectionKey) {
    let slot = Int(connection.slot)
    let seat = seats[slot]
    guard seat.table >= 0 else { return join(frame, connection) }
    guard let diffs = recording.diffs[seat.session] else { return }
    seats[slot].next = (seat.next + 1) % diffs.count
    diffs[seat.next].withUnsafeBytes { bytes in
      for member in tables[seat.table] { loop.append(member, bytes) }
    }
  }

  /// The first frame: table and session, four bytes each.
  private func join(_ frame: UnsafeRawBufferPointer, _ connection: ConnectionKey) {
    guard frame.count == 8 else { return loop.close(connection) }
    let table = Int(frame.loadUnaligned(fromByteOffset: 0, as: UInt32.self).littleEndian)
    let session = UInt64(frame.loadUnaligned(fromByteOffset: 4, as: UInt32.self).littleEndian)
    guard table < 65_536 else { return loop.close(connection) }
    while tables.count <= table { tables.append([]) }
    tables[table].append(connection)
    seats[Int(connection.slot)] = (table, session, 0)
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    let table = seats[Int(connection.slot)].table
    if table >= 0 { tables[table].removeAll { $0 == connection } }
  }

  func connected(_ connection: ConnectionKey) {}
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {}
  func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  func woken() {}
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
  func turnEnded(now: UInt64) {}
  var nextDeadline: UInt64? { nil }
}
