/// What may happen in a run of the model, and how often.
package struct ClusterBounds: Sendable {
  /// The number of turns that a node may have sent and not published.
  package var depth = 1
  /// The number of operations that people want to be judged.
  package var operations: UInt8 = 2
  /// Connections between a node and the database that are cut.
  package var cuts: UInt8 = 1
  /// Turns that the database refuses, since its disk is full.
  package var refusals: UInt8 = 0
  /// Nodes that end at once, and start again.
  package var crashes: UInt8 = 0
  /// Commits that end without waiting for the standby, with a warning.
  package var cancels: UInt8 = 0
  /// Failovers to the standby.
  package var failovers: UInt8 = 0
  /// Tables that their node gives to the other one.
  package var drains: UInt8 = 0
  /// Times that a node takes the other one for dead.
  package var suspicions: UInt8 = 1
  /// Deletions of old rows of turns.
  package var purges: UInt8 = 0
  /// Whether there is a synchronous standby.
  package var hasStandby = false
  /// Whether the table is not there yet.
  package var isNew = false
  /// Whether both nodes have the same name, and so the same lease.
  package var haveOneName = false

  package init() {}
}

/// A rule of the protocol that a run does without, to prove that it is needed.
package struct ClusterFaults: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// A turn does not look at the epoch of its lease.
  package static let noFence = Self(rawValue: 1)
  /// A lease does not say who has raised it.
  package static let noHolder = Self(rawValue: 2)
  /// A turn that takes a table looks at the taker's lease alone.
  package static let takeUnderOneLease = Self(rawValue: 4)
  /// A turn does not look at the epoch of its table.
  package static let noTableEpoch = Self(rawValue: 8)
  /// A commit with a warning is taken for an acknowledged one.
  package static let warningIsAnswer = Self(rawValue: 16)
  /// An epoch is used whose raise was not acknowledged, but is there.
  package static let raiseReadBack = Self(rawValue: 32)
  /// A node gives up turns without raising its epoch before.
  package static let voidWithoutRaise = Self(rawValue: 64)
  /// What a node takes is what it remembers of the table, not what is read after the raise.
  package static let readBeforeRaise = Self(rawValue: 128)
  /// A loaded table is shown before the turn of its new epoch is acknowledged.
  package static let shownWhenLoaded = Self(rawValue: 256)
  /// An operation is published as soon as it is judged.
  package static let publishedWhenJudged = Self(rawValue: 512)
  /// After a cut, a node goes on waiting for the answer to what it has sent before.
  package static let waitsForLostAnswer = Self(rawValue: 1024)
}
