import BaizeSync
import BaizeWire

/// What happens to a client, as its host tells it.
enum Happening {
  case started
  case connected
  /// A whole message, without its length. Valid during the call.
  case frame(UnsafeRawBufferPointer)
  /// What came is no frame.
  case garbage(DecodeError)
  case closed(why: String)
  /// A deadline has come, or someone has asked for something.
  case called
  /// The host stops: say farewell.
  case dismissed
  /// The host has let go: nothing more will happen.
  case retired
}

/// What a client asks of its host.
enum WireCommand {
  case connect
  case send(ClientMessage)
  /// End the connection once everything before is written.
  case disconnect
  /// Let go of the client for good.
  case retire
}

/// Someone whom a host carries: one client's side of one table.
protocol Passenger: AnyObject {
  /// - Parameter commands: to be carried out in order after the return.
  /// - Returns: when the passenger is to be called even if nothing happens.
  func handle(_ happening: Happening, at now: Instant, into commands: inout [WireCommand]) -> Instant?
}

extension ClientMachine {
  mutating func handle(_ happening: Happening, at now: Instant, into effects: inout [ClientEffect]) {
    switch happening {
    case .started: start(at: now, into: &effects)
    case .connected: connected(at: now, into: &effects)
    case .frame(let bytes): received(bytes, at: now, into: &effects)
    case .garbage(let error): receivedGarbage(error, at: now, into: &effects)
    case .closed: closed(at: now, into: &effects)
    case .called: tick(at: now, into: &effects)
    case .dismissed: leave(at: now, into: &effects)
    case .retired: break
    }
  }
}
