import BaizeSimulator

#if BAIZE_CANARY
  import BaizeTable
#endif

/// What a run of worlds is told.
struct SimulatorOptions: Sendable {
  var seed: UInt64 = 1
  var worlds = 10_000
  /// `nil` for what each world's seed decides.
  var kind: Kind?
  var isVerbose = false
  /// Whether pairs of tables are compared instead.
  var findsLeaks = false
  #if BAIZE_CANARY
    /// The rule that is broken, and must be found to be.
    var canary: Canary?
  #endif
}
