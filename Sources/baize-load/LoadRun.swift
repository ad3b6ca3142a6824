import BaizeTable
import BaizeTransport

/// The run's place on its loop.
final class LoadRun: OutgoingHandler {
  let loop: EventLoop
  /// In one piece, so that a callback asks for the right to change it once.
  var state: LoadState

  init(_ options: LoadOptions) throws {
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    state = LoadState(options, loop)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    state.received(connection, bytes)
  }

  func connected(_ connection: ConnectionKey) { state.connected(connection) }
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { state.connectFailed(connection, error) }
  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { state.closed(connection, reason) }
  func turnEnded(now: UInt64) { state.submitDue() }
  var nextDeadline: UInt64? { state.nextDue }
}
