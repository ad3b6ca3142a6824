/// A rule that a fault-injection build can break on purpose, to prove that the simulator finds the fault.
///
/// Code that a mutation changes checks ``isActive``, and nothing else. In every build without `BAIZE_FAULT_INJECTION=1`
/// in the environment it is the constant `false`, and the compiler removes the check.
public enum Mutation: String, Sendable, CaseIterable {
  /// An operation that arrives again is judged again.
  case twice
  /// Frames are sent before the turn that they depend on is durable.
  case early
  /// A gap whose anchor the author's base does not cover is moved to the end.
  case anchor
  /// The item in front of a gap is ignored.
  case after
  /// What others may have changed since an old operation was made is not asked.
  case late
  /// A hidden face is encoded.
  case face
  /// Reordering a private collection without effect makes no diff.
  case order
  /// The hash of a view covers parts that its viewer may not see.
  case hash
  /// An item that enters a private collection keeps its id, so that it can be followed.
  case name
  /// A client that catches up receives what only another seat may see.
  case seat
  /// A client that takes over a seat catches up with diffs meant for the seat's former holder.
  case holder
  /// The size of what everyone's operations hide counts towards the size of the table.
  case content
  /// The size of what everyone's operations hide counts towards the changes that can be undone.
  case undo
  /// The number of items that a private operation takes out counts towards how old a base may be.
  case base
  /// The size of what everyone's operations hide counts towards the diffs that are kept for clients to catch up.
  case log

  #if BAIZE_FAULT_INJECTION
    /// Whether this build can break rules.
    public static let isSupported = true

    /// The rule that is broken at present.
    @TaskLocal static var active: Mutation?

    /// Whether this rule is broken at present.
    public var isActive: Bool { Self.active == self }

    /// Runs `body` with one rule broken.
    public static func withActive<Result>(_ mutation: Mutation, _ body: () throws -> Result) rethrows -> Result {
      try $active.withValue(mutation, operation: body)
    }
  #else
    /// Whether this build can break rules.
    public static let isSupported = false

    /// Whether this rule is broken at present: never, in this build.
    @inlinable @inline(__always) public var isActive: Bool { false }

    /// Runs `body`. This build breaks no rule.
    public static func withActive<Result>(_ mutation: Mutation, _ body: () throws -> Result) rethrows -> Result {
      preconditionFailure("\(mutation) needs a build with BAIZE_FAULT_INJECTION=1")
    }
  #endif
}
