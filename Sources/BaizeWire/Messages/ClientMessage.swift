public import BaizeTable

/// What a client sends. (`ClientMessage` in `Protocol/baize.proto`.)
public enum ClientMessage: Hashable, Sendable {
  case hello(Hello)
  case operation(TableOperation)
  case drag(Drag)
  case ping(Ping)
  case snapshotRequest(why: String)
  case goodbye(Goodbye)
  /// A body that this version does not know: ignored.
  case unknown
}

/// The first message of a connection, and the only one of its kind.
public struct Hello: Hashable, Sendable {
  /// The version of the protocol that the client speaks.
  public var version: UInt32
  /// 1 … 64 characters of `[A-Za-z0-9._-]`.
  public var table: String
  /// Creates the table with this type, options behind `?`, if it does not exist; empty: it must exist.
  public var tableType: String
  /// Shown to others.
  public var name: String
  public var role: Role
  public var invite: String
  /// From the last ``Welcome``; empty asks for a new session.
  public var resumeToken: [UInt8]
  /// With a token: the last state that the client holds.
  public var epoch: Epoch
  public var revision: Revision
  /// With a table type, and only where the daemon allows it: a repeatable shuffle. Zero: none.
  public var seed: UInt64

  public init(
    version: UInt32 = WireProtocol.version, table: String, tableType: String = "", name: String = "",
    role: Role = .player, invite: String = "", resumeToken: [UInt8] = [], epoch: Epoch = Epoch(rawValue: 0),
    revision: Revision = .zero, seed: UInt64 = 0
  ) {
    self.version = version
    self.table = table
    self.tableType = tableType
    self.name = name
    self.role = role
    self.invite = invite
    self.resumeToken = resumeToken
    self.epoch = epoch
    self.revision = revision
    self.seed = seed
  }
}

/// What a client wants to be. The daemon decides.
public enum Role: UInt32, Hashable, Sendable {
  case player = 0
  case spectator = 1
}

/// A sign of life, and a question for the hash of the view.
public struct Ping: Hashable, Sendable {
  public var nonce: UInt64
  public var wantsHash: Bool

  public init(nonce: UInt64, wantsHash: Bool = false) {
    self.nonce = nonce
    self.wantsHash = wantsHash
  }
}
