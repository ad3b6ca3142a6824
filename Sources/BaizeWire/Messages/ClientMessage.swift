public import BaizeTable

/// A message of a client. (`ClientMessage` in `Protocol/baize.proto`.)
public enum ClientMessage: Hashable, Sendable {
  /// Joins a table.
  case hello(Hello)
  /// An operation to judge.
  case operation(TableOperation)
  /// A drag to show to others.
  case drag(Drag)
  /// A heartbeat.
  case ping(Ping)
  /// Requests a snapshot, with a reason for the log.
  case snapshotRequest(why: String)
  /// Leaves.
  case goodbye(Goodbye)
  /// The participant's own value of presence.
  case presence(Presence)
  /// A message to everyone at the table.
  case chat(Chat)
  /// A signed token that takes the place of the connection's present one; a secret.
  case signedToken(String)
  /// A message that this version does not know, which is ignored.
  case unknown
}

/// The first message of a connection, sent once.
public struct Hello: Hashable, Sendable {
  /// The version of the protocol that the client speaks.
  public var version: UInt32
  /// The table's name: 1 … 64 characters of `[A-Za-z0-9._-]`.
  public var table: String
  /// The type of the table to create if it does not exist, with options after `?`; empty: it must exist.
  public var tableType: String
  /// The participant's name, shown to others.
  public var name: String
  /// The role that the client wants.
  public var role: Role
  /// An invite, if the table requires one.
  public var invite: String
  /// Who joins: 32 random bytes that the client made, a secret, with which the same person always comes to this table; empty for
  /// one who never comes back.
  public var credential: [UInt8]
  /// Which of the person's sessions this is: up to 16 bytes that the client made for this device or tab.
  public var sessionName: [UInt8]
  /// The ticket of the session's last ``Welcome``; empty if there was none.
  public var ticket: [UInt8]
  /// A number that is larger than in every earlier hello of the session: one with a smaller number than that of the session's
  /// present connection is refused with ``GoodbyeReason/staleHello``.
  public var attempt: UInt64
  /// The epoch of the last state that the client has; zero if it has none.
  public var epoch: Epoch
  /// The revision of the last state that the client has.
  public var revision: Revision
  /// The seed of a repeatable shuffle of the table that the hello creates, where the daemon allows it; 0 for none.
  public var seed: UInt64
  /// The token with which the app's back end vouches for the person, if the daemon asks for one; a secret.
  public var signedToken: String

  /// Creates a hello; by default it joins an existing table as a player who does not come back.
  public init(
    version: UInt32 = WireProtocol.version, table: String, tableType: String = "", name: String = "",
    role: Role = .player, invite: String = "", credential: [UInt8] = [], sessionName: [UInt8] = [],
    ticket: [UInt8] = [], attempt: UInt64 = 0,
    epoch: Epoch = Epoch(rawValue: 0), revision: Revision = .zero, seed: UInt64 = 0, signedToken: String = ""
  ) {
    self.version = version
    self.table = table
    self.tableType = tableType
    self.name = name
    self.role = role
    self.invite = invite
    (self.credential, self.sessionName, self.ticket) = (credential, sessionName, ticket)
    self.attempt = attempt
    self.epoch = epoch
    self.revision = revision
    self.seed = seed
    self.signedToken = signedToken
  }
}

/// The role that a client wants. The daemon decides.
public enum Role: UInt32, Hashable, Sendable {
  /// Takes a seat, or is turned away.
  case player = 0
  /// Takes no seat.
  case spectator = 1
  /// Takes a seat, or watches if all are taken, and then asks for one (``Watching/asking``).
  case waiting = 2
}

/// A heartbeat, which can request the hash of the view.
public struct Ping: Hashable, Sendable {
  /// Any number, which the answer repeats.
  public var nonce: UInt64
  /// Whether the answer is to have the hash.
  public var wantsHash: Bool

  public init(nonce: UInt64, wantsHash: Bool = false) {
    self.nonce = nonce
    self.wantsHash = wantsHash
  }
}
