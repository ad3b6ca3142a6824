import BaizeSync
import BaizeTransport
import BaizeWire

/// An event that a host delivers to a client.
enum HostEvent {
  case started
  case connected
  /// A complete message without its length prefix. Valid during the call.
  case frame(UnsafeRawBufferPointer)
  /// The received bytes are not a frame.
  case invalidFrame(DecodeError)
  case closed(reason: String)
  /// A deadline has passed, or another thread has queued commands.
  case woken
  /// The host is stopping: the client leaves its table.
  case hostStopping
  /// The session store could not be written, for this reason. The messages behind the write were not sent.
  case storeFailed(String)
  /// The host has removed the client. This is the last event.
  case removed
}

enum HostCommand {
  case connect
  /// Writes the session store. If that fails, the host drops the messages behind it.
  case persist(StoredSession, ClientRecord, saved: [Promise<Result<Void, SessionStoreError>>])
  case send(ClientMessage)
  /// Asks for a signed token, and sends it.
  case refreshToken
  /// Closes the connection after all messages before are written.
  case disconnect
  /// Removes the client from the host.
  case remove
}

/// A client of one table that a host runs.
protocol HostedClient: AnyObject {
  /// Returns a signed token for a connection; `nil` if the daemon asks for none.
  var signedToken: (@Sendable () async throws -> String)? { get }
  /// Handles an event.
  ///
  /// - Parameter commands: Receives the commands, which the host executes in order.
  /// - Returns: The client's next deadline.
  func handle(_ event: HostEvent, at now: Instant, into commands: inout [HostCommand]) -> Instant?
}

extension ClientMachine {
  mutating func handle(_ event: HostEvent, at now: Instant, into effects: inout [ClientEffect]) {
    switch event {
    case .started: start(at: now, into: &effects)
    case .connected: connected(at: now, into: &effects)
    case .frame(let bytes): received(bytes, at: now, into: &effects)
    case .invalidFrame(let error): receivedMalformedFrame(error, at: now, into: &effects)
    case .closed: closed(at: now, into: &effects)
    case .woken: tick(at: now, into: &effects)
    case .hostStopping: close(at: now, into: &effects)
    case .storeFailed(let why): persistFailed(why, at: now, into: &effects)
    case .removed: break
    }
  }
}
