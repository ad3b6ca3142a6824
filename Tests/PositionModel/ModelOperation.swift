/// An operation on a table of positions. Items and sessions are numbers; collections are indices.
struct ModelOperation: Sendable {
  enum Kind: Sendable {
    case insert, move, remove
    /// Undoes the author's operation of this number.
    case undo(Int)
  }

  /// A name of a neighbor of the gap (O11).
  struct Name: Sendable {
    let item: Int
    /// The number of the author's last pending operation that put the item where the author sees it; 0 if it stands there at the
    /// base, `nil` if the client does not give it.
    var by: Int?
  }

  var author: Int
  /// The number of the operation within its session, from 1.
  var number: Int
  /// The revision that the author saw.
  var base: Int
  /// The number of the author's pending operations before this one.
  var unanswered: Int
  var kind: Kind
  /// The items that are moved, removed or, under the names that they have from now on, inserted.
  var items: [Int] = []
  var collection = 0
  /// The neighbor behind the gap; `nil` for the end.
  var before: Name?
  /// The neighbor in front of the gap; `nil` if it is not given.
  var after: Name?
  /// Whether nothing stands in front of the gap.
  var isAtStart = false

  /// Whether it puts items into a gap.
  var lands: Bool {
    switch kind {
    case .insert, .move: true
    case .remove, .undo: false
    }
  }

  /// Returns the item that an insertion makes.
  static func madeItem(by author: Int, number: Int) -> Int { author << 16 | number }

  /// The items that leave the place where they are for the gap: no neighbors of it.
  var sources: [Int] { if case .move = kind { items } else { [] } }
}

enum ModelVerdict: Hashable, Sendable {
  case accepted, unchanged
  case refused(Reason)
  /// Not judged: an item that is named is not where its author's operation was to put it. To be sent again with new names.
  case retry

  enum Reason: Error, Hashable { case unknownItem, anchorGone, contended, capacityExceeded, undoTooLate, other }
}

/// What an accepted operation changed: first the items that it took out, then the blocks that it put.
struct ModelDiff: Sendable {
  struct Block: Sendable {
    var items: [Int]
    var collection: Int
    /// The item behind the block; `nil` for the end.
    var anchor: Int?
    /// The item, and the revision of its leaving, of the nearest vacant position between the block and the anchor.
    var gone: Gone?
    /// Whether an undo has put the item back behind the position that it had left.
    var isReturn = false
  }

  struct Gone: Hashable, Sendable {
    let item: Int
    let revision: Int
  }

  let revision: Int
  let author: Int
  var taken: [Int] = []
  var blocks: [Block] = []
  var isRedirected = false
}

struct ModelAnswer: Sendable {
  var verdict: ModelVerdict
  var diff: ModelDiff?
}

/// What the authority remembers of a session: where its pending operations were to put items, and where they did.
struct ModelMemory: Sendable {
  enum Outcome: Hashable, Sendable {
    case put(position: Int, collection: Int)
    case tookAway
    /// The operation was refused or redirected, or it left the item out.
    case notPut
  }

  struct Entry: Sendable {
    let operation: ModelOperation
    var outcomes: [Int: Outcome] = [:]

    init(_ operation: ModelOperation) { self.operation = operation }

    var number: Int { operation.number }
  }

  var entries: [Entry] = []

  /// Returns what the author's operation of a number did, if `operation` may refer to it.
  func entry(_ number: Int, before operation: ModelOperation) -> Entry? {
    guard (operation.number - operation.unanswered..<operation.number).contains(number) else { return nil }
    return entries.first { $0.number == number }
  }

  /// Returns the outcomes for an item of the operations that the author of `operation` had not seen answered, oldest first.
  func outcomes(for item: Int, before operation: ModelOperation) -> [(number: Int, outcome: Outcome)] {
    entries.compactMap { entry in
      guard (operation.number - operation.unanswered..<operation.number).contains(entry.number) else { return nil }
      return entry.outcomes[item].map { (entry.number, $0) }
    }
  }
}

/// A fault that can be injected into the model, to show that a search finds it.
enum ModelFault: CaseIterable, Sendable {
  /// N2: an item is named where it stands, and not by the position that it had.
  case present
  /// N3: a position is nobody's own.
  case notOwn
  /// N4: runs do not count.
  case noRuns
  /// N5: what returns does not count as one with the position that it left.
  case notOne
  /// N1: what would look the same is unchanged.
  case looksUnchanged
  /// A lost name is replaced by where the item stood at the base.
  case keepsLostNames
  /// A client sends operations behind an undo that is not answered.
  case sendsBehindUndo
}
