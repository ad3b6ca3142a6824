package import BaizeTransport
package import BaizeWire

/// The handler of a run's connections.
package final class LoadRun: FrameHandler {
  package let connections: ConnectionSet
  /// A value, so that a callback asks for exclusive access once.
  package var state: LoadState

  package init(_ options: LoadOptions) throws {
    connections = try ConnectionSet(usesWebSocket: options.usesWebSocket)
    state = LoadState(options, connections)
  }

  /// Handles all frames of a read at once, unlike other handlers: the state is accessed once for all of them.
  package func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    state.receiveFrames(connection, bytes, from: start)
  }

  package func opened(_ number: Int) { state.opened(number) }
  package func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) { state.receive(frame, number) }
  package func ended(_ number: Int, _ reason: String) { state.ended(number, reason) }
  package func turnEnded(now: UInt64) { state.submitDue() }
  package var nextDeadline: UInt64? { state.nextDue }
}
