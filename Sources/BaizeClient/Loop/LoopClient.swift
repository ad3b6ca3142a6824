public import BaizeSync
public import BaizeTable
public import BaizeWire

/// Receives the events of a host's clients.
///
/// All calls are made in the loop's turn, in the order of the events, and never from within a call to a client. They may
/// call any client of the same host.
public protocol LoopClientHandler: AnyObject {
  /// Handles an event of the client's table.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - client: The client that received it.
  func received(_ event: ClientEvent, by client: LoopClient)
  /// Handles the timer that was set with ``LoopClient/timerDeadline``. Does nothing by default.
  ///
  /// - Parameter client: The client whose timer has fired.
  func timerFired(_ client: LoopClient)
}

extension LoopClientHandler {
  public func timerFired(_ client: LoopClient) {}
}

/// Sees all messages of a client: as it sends them, and before it handles them.
package protocol MessageObserver: AnyObject {
  func sent(_ message: ClientMessage, by client: LoopClient)
  /// - Parameter frame: A message without its length prefix, as the daemon sent it. Valid during the call.
  func received(_ frame: UnsafeRawBufferPointer, by client: LoopClient)
}

/// A client of one table for programs that run on the host's thread, such as bots. It takes no lock.
///
/// It belongs to its host's thread and is not `Sendable`.
public final class LoopClient: HostedClient {
  /// The number that the program gave to ``ClientHost/join(_:_:tag:handler:)``.
  public let tag: Int
  private var machine: ClientMachine
  private weak var handler: (any LoopClientHandler)?
  /// Sees the client's messages, if set; the client does not retain it.
  package weak var observer: (any MessageObserver)?
  private unowned let host: ClientHost
  var index = -1
  /// The machine's effects in order. Handlers may append further effects while they are drained.
  private var effects: [ClientEffect] = []
  private var isDraining = false

  init(_ machine: ClientMachine, tag: Int, handler: any LoopClientHandler, host: ClientHost) {
    self.machine = machine
    self.tag = tag
    self.handler = handler
    self.host = host
  }

  var signedToken: (@Sendable () async throws -> String)? { machine.configuration.signedToken }

  // MARK: State

  /// The client's copy of the table; `nil` before the first snapshot is complete.
  public var replica: Replica? { machine.replica }
  /// The phase of the connection.
  public var phase: ClientMachine.Phase { machine.phase }
  /// The daemon's last welcome; `nil` before the first.
  public var welcome: Welcome? { machine.welcome }
  /// Whether the client has the whole table and receives every diff.
  public var isLive: Bool { machine.isLive }
  /// The last invite for players that this client received; a secret.
  public var invite: String { machine.invite }
  /// The number of times the replica differed from the daemon's state and was reloaded.
  public var divergences: Int { machine.divergences }
  /// The number of operations that the daemon has not acknowledged.
  public var pendingCount: Int { machine.replica?.pending.count ?? 0 }
  /// The time at which the loop's present turn began.
  public var now: Instant { host.now }

  // MARK: Operations

  /// Applies an operation to the replica and sends it in this turn, or after the reconnect if there is no connection.
  ///
  /// - Parameters:
  ///   - kind: The operation.
  ///   - sendsRefused: Whether to send an operation that the local rules refuse, so that the daemon decides.
  /// - Returns: The submission; `nil` if there is no table yet or as many operations are pending as the daemon allows.
  @discardableResult
  public func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Replica.Submission? {
    defer { wake() }
    return machine.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects)
  }

  /// Undoes one of this client's operations, acknowledged or pending.
  ///
  /// - Parameter submission: The operation, as ``submit(_:sendsRefused:)`` returned it.
  /// - Returns: The submission of the undo; `nil` if nothing can be submitted, or if the operation belongs to an earlier
  ///   epoch or session.
  @discardableResult
  public func undo(_ submission: Replica.Submission) -> Replica.Submission? {
    defer { wake() }
    return machine.undo(submission, at: now, into: &effects)
  }

  /// Sends a drag message as it is. The daemon relays a limited number of movements per second and drops the others.
  ///
  /// - Parameter drag: The message.
  public func drag(_ drag: Drag) {
    machine.drag(drag, at: now, into: &effects)
    wake()
  }

  /// Sets this participant's own value of presence; see ``TableClient/setPresence(_:)``.
  ///
  /// - Parameter value: The value; empty for none.
  /// - Returns: The reason why the value is not taken; `nil` if it is.
  @discardableResult
  public func setPresence(_ value: [UInt8]) -> Refusal? {
    defer { wake() }
    return machine.setPresence(value, at: now, into: &effects)
  }

  /// Sends a message to everyone at the table; see ``TableClient/say(_:kind:)``.
  ///
  /// - Parameter chat: The message.
  /// - Returns: The reason why it is not sent; `nil` if it is.
  @discardableResult
  public func send(_ chat: Chat) -> Refusal? {
    defer { wake() }
    return machine.send(chat, at: now, into: &effects)
  }

  /// Leaves the table. The handler receives `.ended`.
  public func leave() {
    machine.leave(at: now, into: &effects)
    wake()
  }

  /// Takes the daemon's last hash of this client's view, and requests the next.
  package func exchangeHash() -> Pong? {
    if isLive { machine.ping(wantsHash: true, at: now, into: &effects) }
    wake()
    return machine.heartbeat.lastPong.take()
  }

  /// Closes the connection as if the network had failed. The client reconnects by itself.
  public func dropConnection() { host.dropConnection(index) }

  /// The time at which to call the handler's ``LoopClientHandler/timerFired(_:)``, once; `nil` for no timer.
  public var timerDeadline: Instant? { didSet { wake() } }

  /// Has the host execute the queued effects in this turn, unless they are being drained already.
  private func wake() { if !isDraining { host.wake(index) } }

  // MARK: HostedClient

  func handle(_ event: HostEvent, at now: Instant, into commands: inout [HostCommand]) -> Instant? {
    isDraining = true
    if case .frame(let frame) = event { observer?.received(frame, by: self) }
    machine.handle(event, at: now, into: &effects)
    if case .woken = event, let due = timerDeadline, due <= now {
      timerDeadline = nil
      handler?.timerFired(self)
    }
    drain(into: &commands)
    isDraining = false
    if case .removed = event { index = -1 }
    guard let deadline = machine.nextDeadline else { return timerDeadline }
    return timerDeadline.map { min($0, deadline) } ?? deadline
  }

  private func drain(into commands: inout [HostCommand]) {
    var next = 0
    while next < effects.count {
      switch effects[next] {
      case .connect: commands.append(.connect)
      // A loop client has no session store.
      case .persist: break
      case .send(let message):
        observer?.sent(message, by: self)
        commands.append(.send(message))
      case .refreshToken: commands.append(.refreshToken)
      case .disconnect: commands.append(.disconnect)
      case .event(let event):
        handler?.received(event, by: self)
        if case .ended = event { commands.append(.remove) }
      }
      next += 1
    }
    effects.removeAll(keepingCapacity: true)
  }
}
