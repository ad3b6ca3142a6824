import BaizeHarness
import BaizeTransport
import BaizeWire

/// The handler of a run's connections.
final class LoadRun: FrameHandler {
  let connections: ConnectionSet
  /// A value, so that a callback asks for exclusive access once.
  var state: LoadState

  init(_ options: LoadOptions) throws {
    connections = try ConnectionSet(usesWebSocket: options.usesWebSocket)
    state = LoadState(options, connections)
  }

  /// Handles all frames of a read at once, unlike other handlers: the state is accessed once for all of them.
  func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    state.receiveFrames(connection, bytes, from: start)
  }

  func opened(_ number: Int) { state.opened(number) }
  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) { state.receive(frame, number) }
  func ended(_ number: Int, _ reason: String) { state.ended(number, reason) }
  func turnEnded(now: UInt64) { state.submitDue() }
  var nextDeadline: UInt64? { state.nextDue }
}
