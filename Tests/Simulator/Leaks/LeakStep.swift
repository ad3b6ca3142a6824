import BaizeTable
import BaizeWire
import BaizeWorkload

/// A step at both tables of a pair.
enum LeakStep {
  /// A participant submits an operation on a base so many revisions before what it has received; its items go by their
  /// positions, or by their ids at the first table.
  case act(Int, ClientAction, TableOperation.Kind, lateBy: UInt64)
  /// Operations at the two tables, by ids. Nobody else may see whether they differ; an operation at only one of them is
  /// refused there.
  case submit(Int, TableOperation.Kind?, TableOperation.Kind?)
  /// A participant undoes an operation, by its index among those at both tables.
  case undo(Int, Int)
  /// A participant sends what is no operation.
  case send(Int, ClientMessage)
  case cut(Int)
  /// A participant reconnects with its token and claims what it holds.
  case reconnect(Int, Claim)
  case leave(Int)
  /// A participant stops or resumes reading.
  case stall(Int, Bool)
  case turn
  case pass(seconds: UInt64)
  case restart

  /// The state that a reconnecting participant claims to hold.
  enum Claim {
    case nothing
    case present
    /// The state of so many revisions ago.
    case older(by: UInt64)
  }
}
