#if BAIZE_CANARY
  /// A rule that is broken on purpose, to prove that the simulator would find it. It exists only in builds that are made for
  /// that: `BAIZE_CANARY=1 swift build`.
  public enum Canary: String, Sendable, CaseIterable {
    /// An operation that comes again is judged again.
    case twice
    /// Frames do not wait for the disk.
    case early
    /// A gap that is not where it was named goes to the end.
    case anchor
    /// A face is left in that its viewer does not see.
    case face
    /// A hand that is left as it is makes no diff.
    case order
    /// The hash of a view covers what its viewer is not told.
    case hash
    /// What goes into a hand keeps its name, so that it can be followed.
    case name
    /// Whoever comes back is told what another seat is told.
    case seat
    /// Whoever comes to a seat is told what its holder before was told.
    case holder

    /// The one that is broken at present.
    @TaskLocal public static var broken: Canary?
  }
#endif
