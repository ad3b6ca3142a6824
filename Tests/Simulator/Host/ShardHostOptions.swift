package import BaizeSync
package import BaizeTable

/// The parameters of a ``ShardHost``'s machine.
package struct ShardHostOptions {
  package var types: any TableTypeSource & TableTypeReader = SimulatedTypes()
  package var seed: UInt64 = 1
  package var limits = SyncLimits()
  package var durability = Durability.strict
  package var allowsSeeds = false
  package var isOpen = true
  package var creation = CreationRight.anyone
  package var setUpItemsAtOnceMax = Int.max
  /// Whether frames that exceed the turn's budget wait for the next turn, as in the daemon.
  package var isBounded = false

  package init() {}

  package init(_ change: (inout Self) -> Void) { change(&self) }

  func makeShard() -> ShardMachine {
    ShardMachine(
      types: types, random: RandomSource(seed: seed), limits: limits, allowsSeeds: allowsSeeds, isOpen: isOpen,
      creation: creation, durability: durability, setUpItemsAtOnceMax: setUpItemsAtOnceMax)
  }
}

extension JournalStore {
  /// Returns a table as the journal has it; `nil` if it has none.
  func restored(_ name: String, _ options: ShardHostOptions) throws(JournalError) -> RestoredTable? {
    let types = options.types
    return try table(named: name).map { stored throws(JournalError) in try RestoredTable(stored, types: types) }
  }
}
