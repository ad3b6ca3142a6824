public import BaizeTable

/// One thing that happens in a world. A script is a list of them; a step that makes no sense where it stands does nothing,
/// so that any part of a script is a script.
public enum Step: Hashable, Sendable {
  /// A client begins.
  case start(Int)
  case act(Int, Deed)
  /// A client asks for a snapshot.
  case ask(Int)
  /// A client leaves for good.
  case leave(Int)

  /// A connection that a client wants comes about, or not.
  case connect(Int)
  case refuse(Int)
  /// The next frame arrives at the daemon, or at the client.
  case up(Int)
  case down(Int)
  /// A connection is gone, and with it all that is in flight but the first frames upwards. The daemon hears of it at
  /// ``notice``.
  case cut(Int, arriving: Int = 0)
  /// The daemon notices the connection that is gone for longest.
  case notice

  /// The daemon ends its turn.
  case turn
  /// The first so many of the turns that wait are committed.
  case commit(Int)
  /// The first of the tables that are asked for is read from the journal.
  case load
  /// The first of the tables that are to be made beside the turns is made.
  case make
  case pass(milliseconds: UInt64)

  /// The daemon is killed, and started again.
  case crash
  /// The daemon is stopped, and started again.
  case restart
  /// The disk is full from now on, and has room again.
  case fill
  case free
  /// Someone tries to be who a client is.
  case impostor(Int, Pretence)
}

/// What an impostor shows to the daemon. None of it may open a table.
public enum Pretence: Hashable, Sendable {
  /// A token that the client used to have, and which is void.
  case stale
  /// The number of the client's session, and made up bits.
  case forged
  /// A token that is none.
  case broken
}

/// What someone does at a table. Items are named by where the one who acts sees them, so that a deed means something
/// even if what went before is another.
public enum Deed: Hashable, Sendable {
  case move([Spot], to: Gap)
  case copy([Spot], to: Gap)
  /// So many new items.
  case insert(Int, to: Gap)
  case remove([Spot])
  case update(Spot, note: Int64)
  case perform(String, [Spot])
  /// Undoes an own operation: the last, or the one so many before it.
  case undo(Int)
  /// What only a host may do, whoever asks for it.
  case host(HostAction)
  /// Something that no rule of any table allows.
  case nonsense(InvalidOperation, Spot, to: Gap)
  /// What the rules refuse is sent all the same.
  indirect case insist(Deed)
}

/// An item by where it lies: the collection by its handle, and how many lie before it, both modulo what there is.
public struct Spot: Hashable, Sendable {
  public var collection: Int
  public var offset: Int

  public init(_ collection: Int, _ offset: Int) {
    self.collection = collection
    self.offset = offset
  }
}

/// A place between items: before the one at an offset, or the end.
public struct Gap: Hashable, Sendable {
  public var collection: Int
  public var before: Int?

  public init(_ collection: Int, before: Int? = nil) {
    self.collection = collection
    self.before = before
  }
}
