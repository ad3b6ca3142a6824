import BaizeTransport
import BaizeWire

/// The ceiling: the same transport and frames of the same sizes without judging. It answers each frame to all connections of
/// the table with the diff that the connection's first frame has brought.
final class Relay: EventLoopHandler {
  let loop: EventLoop
  private let reader = FrameReader()
  /// By slot.
  @exclusivity(unchecked) private var members: [Member] = []
  @exclusivity(unchecked) private var tables: [[ConnectionKey]] = []

  private struct Member {
    /// −1 before the first frame.
    var table = -1
    var answer: [UInt8] = []
  }

  init() throws { loop = try EventLoop(waker: try Waker()) }

  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {
    while members.count <= Int(connection.slot) { members.append(Member()) }
    members[Int(connection.slot)] = Member()
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
    guard members[slot].table >= 0 else { return join(frame, connection) }
    members[slot].answer.withUnsafeBytes { bytes in
      for member in tables[members[slot].table] { loop.append(member, bytes) }
    }
  }

  /// Receives the first frame: the table's number in two bytes, then the answer, which also confirms that it has arrived.
  private func join(_ frame: UnsafeRawBufferPointer, _ connection: ConnectionKey) {
    guard frame.count > 2 else { return loop.close(connection) }
    let table = Int(frame[0]) | Int(frame[1]) << 8
    while tables.count <= table { tables.append([]) }
    tables[table].append(connection)
    members[Int(connection.slot)] = Member(table: table, answer: [UInt8](frame.dropFirst(2)))
    loop.append(connection, UnsafeRawBufferPointer(rebasing: frame.dropFirst(2)))
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    let table = members[Int(connection.slot)].table
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
