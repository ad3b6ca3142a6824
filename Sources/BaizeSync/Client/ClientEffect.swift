public import BaizeTable
public import BaizeWire

/// What a client's machine asks of its host, to be carried out in order.
public enum ClientEffect: Sendable {
  /// Open a connection, and tell of it by `connected` or `closed`.
  case connect
  case send(ClientMessage)
  /// End the connection once everything before is written. The host need not tell of it.
  case disconnect
  case event(ClientEvent)
}

/// What an app hears of its table.
public enum ClientEvent: Sendable {
  /// The table stands: for the first time, or again after a connection was lost.
  case joined(SessionID, SeatNumber)
  /// The visible state has changed, for someone who looks.
  case changed([TableChange])
  /// A diff was applied, one's own included.
  case diff(Diff)
  case answered(Answered)
  /// Another's drag; or, with `isRefused`, one's own that has not begun: nobody else was told of it.
  case drag(Drag)
  /// Who sits where, and who is connected.
  case seats([Seat])
  /// The connection is lost; the machine tries again by itself at the moment given.
  case disconnected(Goodbye?, retryAt: Instant)
  /// The replica was not what the daemon has, and takes a snapshot.
  case diverged(String)
  /// The table is closed to this client, or was left: nothing more will come.
  case ended(Goodbye)
}

/// What a client wants to join, and how it keeps in touch.
public struct ClientConfiguration: Sendable {
  public var table: String
  /// Creates the table if it does not exist: a table type's name, with options behind `?`.
  public var tableType: String
  /// Shown to others.
  public var name: String
  public var role: Role
  /// What to be let in with, where the table asks for an invite.
  public var invite: String
  /// A repeatable shuffle for a table that is created, where the daemon allows it; zero for none.
  public var seed: UInt64
  /// Whether changes are worked out for a user interface.
  public var reportsChanges = true
  /// How long to wait before the first attempt to come back, on average; it doubles with each.
  public var backoffMilliseconds: UInt64 = 100
  public var backoffMillisecondsMax: UInt64 = 5_000
  /// How long a handshake may take.
  public var handshakeSeconds: UInt64 = 10
  /// How often the replica is compared with the daemon; 0 for never.
  public var hashCheckSeconds: UInt64 = 30
  /// How long to wait before an operation is sent again that was not judged, unless only its base was too old.
  public var retryMilliseconds: UInt64 = 100

  public init(
    table: String, tableType: String = "", name: String = "", role: Role = .player, invite: String = "",
    seed: UInt64 = 0
  ) {
    self.table = table
    self.tableType = tableType
    self.name = name
    self.role = role
    self.invite = invite
    self.seed = seed
  }
}

/// Makes a table type of what a welcome carries. (`BaizeTableTypes` does; the machines do not read JSON.)
public protocol TableTypeReader: Sendable {
  func tableType(document: String, options: [Attribute]) throws -> TableType
}
