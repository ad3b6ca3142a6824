public import BaizeTable
public import BaizeWire

/// A request of a client's machine to its host. The host carries out the effects in order.
public enum ClientEffect: Sendable {
  /// Open a connection, then call `connected` or `closed`.
  case connect
  /// Write the machine's present ``ClientMachine/record`` to the session store, and only then carry out the sends that follow.
  ///
  /// What is sent is in the store: an operation with its number, so that a later process neither gives the number to another
  /// operation nor sends this one under a new number; and a new token before anything that lets the daemon forget the
  /// previous one. Several of these may be carried out as one, before the first of the sends behind them. If the write fails,
  /// the host drops those sends and calls ``ClientMachine/persistFailed(_:at:into:)``. Only a machine that was created with
  /// a record has this effect.
  case persist
  /// Send a message.
  case send(ClientMessage)
  /// Ask ``ClientConfiguration/signedToken`` for a token, and send it by ``ClientMessage/signedToken(_:)`` if the connection is still
  /// the same: the present one expires soon. If it fails, this is requested again before long.
  case refreshToken
  /// Close the connection once everything before is written. The host need not call `closed`.
  case disconnect
  /// Publish an event to the app.
  case event(ClientEvent)
}

/// An event at a table, for the app.
public enum ClientEvent: Sendable {
  /// The replica is complete and live: for the first time, or again after a lost connection.
  case joined(SessionID, SeatNumber)
  /// The visible state has changed.
  case changed([TableChange])
  /// A diff was applied, by any author.
  case diff(Diff)
  /// An operation of this client was answered.
  case answered(Answered)
  /// Another participant's drag; or, with `isRefused`, a drag of this client that the daemon did not pass on.
  case drag(Drag)
  /// Another participant's own value of presence; empty if it has none any more.
  case presence(Presence)
  /// A message to the table, this client's own included; or, with `refusal`, one of this client that nobody received.
  case chat(Chat)
  /// The time that is left of the turn and of the table, or that is up.
  case countdown(Countdown)
  /// The seats with their participants, and who of them is connected.
  case seats([Seat])
  /// Who watches.
  case watching(Watching)
  /// The connection is lost. The machine reconnects by itself after this time.
  case disconnected(Goodbye?, retryIn: Duration)
  /// The replica differs from the daemon's state, for the reason given, and a snapshot is requested.
  case diverged(String)
  /// The table is closed to this client, or the client has left it. This is the last event.
  case ended(Goodbye)
}

/// The table that a client joins, and the timing of its connection.
public struct ClientConfiguration: Sendable {
  /// The table's name.
  public var table: String
  /// The type of the table to create if it does not exist: a table type's name, with options after `?`.
  public var tableType: String
  /// The participant's name, visible to others.
  public var name: String
  /// The role to join in.
  public var role: Role
  /// The invite to present, if the table requires one.
  public var invite: String
  /// The credential of the person, `WireLimits.credentialBytes` random bytes and a secret, for one who has sessions on several
  /// devices or in several processes; empty: the client makes one. A session store that has one keeps that.
  public var credential: [UInt8] = []
  /// The seed of the shuffles of a table that is created, where the daemon allows it; 0 for none.
  public var seed: UInt64
  /// Returns a signed token of the app's back end, where the daemon asks for one; `nil` for none.
  ///
  /// It is called on any thread, for each connection and before the connection's token expires, so that none is shown again that has
  /// expired. If it throws, the client tries again later, as if the daemon could not be reached.
  public var signedToken: (@Sendable () async throws -> String)?
  /// Whether changes are computed for a user interface.
  public var reportsChanges = true
  /// The maximum wait before the first attempt to reconnect; it doubles with each attempt.
  public var backoffMilliseconds: UInt64 = 100
  /// The limit of that doubling.
  public var backoffMillisecondsMax: UInt64 = 5_000
  /// The timeout of the handshake.
  public var handshakeSeconds: UInt64 = 10
  /// The interval at which the replica's hash is compared with the daemon's; 0 for never.
  public var hashCheckSeconds: UInt64 = 30
  /// The wait before an operation that was not judged is sent again, unless its base was too old: then there is none.
  public var retryMilliseconds: UInt64 = 100

  /// Creates a configuration with the default timing.
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

  /// The hello of a new session.
  package var hello: Hello {
    Hello(table: table, tableType: tableType, name: name, role: role, invite: invite, seed: seed)
  }
}
