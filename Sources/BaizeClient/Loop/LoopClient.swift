public import BaizeSync
public import BaizeTable
public import BaizeWire

/// What a program on the loop's thread hears of its clients. Every call comes from the loop's turn, in the order in
/// which things happened, and never from within a call that the program makes; any of them may call anything on any
/// client of the same host.
public protocol LoopClientHandler: AnyObject {
  /// Something happened at the client's table.
  func heard(_ event: ClientEvent, by client: LoopClient)
  /// The moment has come that was set as ``LoopClient/alarmAt``.
  func alarm(_ client: LoopClient)
}

extension LoopClientHandler {
  public func alarm(_ client: LoopClient) {}
}

/// One client's side of one table, for a program that lives on the loop's thread, such as a bot: no lock, no hop.
///
/// It belongs to its host's thread and is not `Sendable`.
public final class LoopClient: Passenger {
  /// Whatever the program wants to find again, such as an index.
  public let tag: Int
  private var machine: ClientMachine
  private weak var handler: (any LoopClientHandler)?
  private unowned let host: ClientHost
  var place = -1
  /// What the machine asked for, in order; what handlers ask for meanwhile comes behind.
  private var effects: [ClientEffect] = []
  private var isDraining = false

  init(_ machine: ClientMachine, tag: Int, handler: any LoopClientHandler, host: ClientHost) {
    self.machine = machine
    self.tag = tag
    self.handler = handler
    self.host = host
  }

  // MARK: Reading

  /// The table as this client sees it; `nil` before the first snapshot is whole.
  public var replica: Replica? { machine.replica }
  public var phase: ClientMachine.Phase { machine.phase }
  public var welcome: Welcome? { machine.welcome }
  public var isLive: Bool { machine.isLive }
  /// The last invite for players that this client got; a secret.
  public var invite: String { machine.invite }
  /// How often the replica was found to differ from the daemon and was repaired.
  public var divergences: Int { machine.divergences }
  /// Operations without an answer.
  public var pendingCount: Int { machine.replica?.pending.count ?? 0 }
  /// The moment of the loop's present turn.
  public var now: Instant { host.now }

  // MARK: Asking

  /// Applies an operation at once and sends it in this turn. Without a connection it is kept and sent when there is one.
  ///
  /// - Parameter sendsRefused: Whether what the rules refuse here is sent all the same.
  /// - Returns: `nil` where there is no table yet, or more unanswered operations than the daemon takes.
  @discardableResult
  public func submit(_ kind: TableOperation.Kind, sendsRefused: Bool = false) -> Replica.Submission? {
    defer { attend() }
    return machine.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects)
  }

  /// Undoes an operation of this client's, answered or not: as ``submit(_:sendsRefused:)`` gave it.
  ///
  /// - Returns: `nil` where nothing can be submitted, and where the operation is from before a restart of the daemon, or of
  ///   a session that is lost.
  @discardableResult
  public func undo(_ submission: Replica.Submission) -> Replica.Submission? {
    defer { attend() }
    return machine.undo(submission, at: now, into: &effects)
  }

  /// Tells the others of a drag, as it is: the daemon passes on so many movements a second and no more.
  public func drag(_ drag: Drag) {
    machine.drag(drag, at: now, into: &effects)
    attend()
  }

  /// Leaves the table for good; the handler hears `.ended`.
  public func leave() {
    machine.leave(at: now, into: &effects)
    attend()
  }

  /// Drops the connection as if the network had; the client comes back by itself.
  public func cutConnection() { host.cut(place) }

  /// When the handler's `alarm` is to be heard, once; `nil` for never.
  public var alarmAt: Instant? { didSet { attend() } }

  /// Makes sure that what was asked for outside of this client's own events is carried out in this turn.
  private func attend() { if !isDraining { host.attend(place) } }

  // MARK: Being carried

  func handle(_ happening: Happening, at now: Instant, into commands: inout [WireCommand]) -> Instant? {
    isDraining = true
    machine.handle(happening, at: now, into: &effects)
    if case .called = happening, let due = alarmAt, due <= now {
      alarmAt = nil
      handler?.alarm(self)
    }
    drain(into: &commands)
    isDraining = false
    if case .retired = happening { place = -1 }
    guard let deadline = machine.nextDeadline else { return alarmAt }
    return alarmAt.map { min($0, deadline) } ?? deadline
  }

  private func drain(into commands: inout [WireCommand]) {
    var next = 0
    while next < effects.count {
      switch effects[next] {
      case .connect: commands.append(.connect)
      case .send(let message): commands.append(.send(message))
      case .disconnect: commands.append(.disconnect)
      case .event(let event):
        handler?.heard(event, by: self)
        if case .ended = event { commands.append(.retire) }
      }
      next += 1
    }
    effects.removeAll(keepingCapacity: true)
  }
}
