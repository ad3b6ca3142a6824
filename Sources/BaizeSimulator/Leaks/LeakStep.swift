import BaizeTable
import BaizeWire

/// One thing that happens at both tables of a pair.
enum LeakStep {
  /// Someone asks for something; what it is called goes by the places, or by the names that the first table has.
  case act(Int, Deed, TableOperation.Kind)
  /// The first table is asked for one thing, the second for another, of which no one else may see the difference; or only
  /// one of them for something that is refused.
  case differ(Int, TableOperation.Kind?, TableOperation.Kind?)
  /// What only a host may do, whoever asks for it.
  case host(Int, HostAction)
  /// Someone takes an operation back: so many of those that both tables were asked for were before it.
  case undo(Int, Int)
  case drag(Int, Drag)
  case ping(Int, wantsHash: Bool)
  /// Someone asks for a snapshot.
  case ask(Int)
  case cut(Int)
  /// Someone comes back with its token, and says what it holds.
  case comeBack(Int, Claim)
  case leave(Int)
  /// Someone does not read, or does again.
  case stall(Int, Bool)
  case turn
  case pass(seconds: UInt64)
  case restart

  /// What someone who comes back says that it holds.
  enum Claim {
    case nothing
    case present
    /// The state of so many revisions ago, whoever it was then.
    case older(by: UInt64)
  }
}
