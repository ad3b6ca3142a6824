import BaizeSync

/// A place where clients keep what must outlast the app: their sessions, and the operations without an answer.
///
/// ``FileSessionStore`` keeps it in files; ``MemorySessionStore`` forgets it with the process. An app can adopt the protocol for
/// a keychain or a database. A store has one entry for each key, and an entry is one small array of bytes, a
/// `ClientRecord` in encoded form. It contains secrets: the person's credential, and perhaps an invite.
///
/// ## Order
///
/// The client writes an operation to its store before it sends it. Sequence numbers make an operation's effect happen once,
/// and a relaunch knows only the numbers in the store: had operation 7 been sent and not been written, the relaunched client
/// would give the number 7 to another operation, the daemon would answer that one with the outcome of the first, and the
/// second would be lost while it counted as accepted. For the same reason operations that were numbered anew in another epoch
/// are written before they are sent, or the daemon would receive them twice under two numbers.
///
/// An acknowledged operation may stay in the store until the next write, at most `ClientLimits.saveMilliseconds` later. After a
/// relaunch it is sent again under its number, and the daemon repeats its answer.
public protocol SessionStore: Sendable {
  /// Opens an entry for one client alone, and creates it if it does not exist.
  ///
  /// Called on a thread that may block.
  ///
  /// - Parameter key: The entry's key.
  /// - Returns: The entry, which stays locked until it is closed or released.
  /// - Throws: ``SessionStoreError/inUse(_:)`` if another client has it open, in this process or another one.
  func open(_ key: SessionKey) throws -> any SessionStoreEntry
}

/// An open entry of a ``SessionStore``. One client uses it, one call at a time.
public protocol SessionStoreEntry: AnyObject, Sendable {
  /// Returns what was last written; `nil` if nothing ever was.
  func read() throws -> [UInt8]?

  /// Replaces the entry's contents, all or nothing. Once it returns, the bytes must survive the end of the process.
  ///
  /// Called on the client loop's thread, once for all that happened since the last call.
  ///
  /// - Parameter bytes: The new contents.
  func write(_ bytes: [UInt8]) throws

  /// Releases the lock. Nothing is read or written afterwards.
  func close()
}

/// The key of an entry in a ``SessionStore``: one participant at one table of one daemon.
///
/// The address is compared as the app gave it, so that a host's name and its number are two keys. An app with several
/// participants at one table gives each a store of its own, such as a folder.
public struct SessionKey: Hashable, Sendable, CustomStringConvertible {
  /// The daemon's address, `HOST:PORT`; for another transport than TCP `the stream`.
  public let address: String
  /// The table's name.
  public let table: String

  /// Creates a key.
  public init(address: String, table: String) {
    self.address = address
    self.table = table
  }

  public var description: String { "\(table) at \(address)" }
}

/// The reason why an entry of a store cannot be used. The entry stays as it is.
///
/// Each case names the entry, for a file its path.
public enum SessionStoreError: Error, Hashable, Sendable {
  /// Another client has the entry open, in this process or another one.
  case inUse(String)
  /// The contents are damaged: their checksum is wrong, or they are not complete.
  case damaged(String)
  /// The contents are something else, or belong to another table or address.
  case foreign(String)
  /// A later version of the library wrote the contents.
  case newer(String)
  /// Others may read or write the file, or own it.
  case notPrivate(String)
  /// The system does not allow to read or write the entry. The second text is its reason.
  case unusable(String, reason: String)

  init(_ error: ClientRecordError, _ name: String) {
    self =
      switch error {
      case .damaged: .damaged(name)
      case .foreign: .foreign(name)
      case .newer: .newer(name)
      }
  }
}

extension SessionStoreError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .inUse(let name): "the session '\(name)' is in use by another client; close that one first"
    case .damaged(let name): "the session '\(name)' is damaged; remove it to join as a new participant"
    case .foreign(let name): "'\(name)' is not the session of this table; name another store"
    case .newer(let name): "a newer version has written the session '\(name)'"
    case .notPrivate(let name): "other users may read or write the session '\(name)'; run: chmod 600 '\(name)'"
    case .unusable(let name, let reason): "the session '\(name)' cannot be used: \(reason)"
    }
  }
}
