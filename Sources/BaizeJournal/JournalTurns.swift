internal import BaizeSync
internal import BaizeTransport

/// The turns that are not durable yet, of each shard in the order of their numbers.
///
/// A commit takes a group of bounded size, so that a shard that writes much does not keep the others waiting. In it is what each
/// shard has within its share, which is everything unless one of them writes much, and what there is room for besides. A turn
/// that is larger than a share waits for one group of small ones, and is then part of the next; such turns are taken from each
/// shard in turn.
struct JournalTurns {
  /// The turns of the present commit. They are kept if it fails, and others are added.
  private(set) var group: [JournalTurn] = []
  /// The other turns, by shard.
  private var queues: [Queue<JournalTurn>]
  /// The shard that comes first with a turn larger than its share.
  private var first = 0
  /// Whether such a turn has waited.
  private var isLargeDue = false
  private(set) var count = 0

  init(shards: Int) { queues = Array(repeating: Queue(), count: shards) }

  var isEmpty: Bool { count == 0 }

  mutating func append(_ turn: JournalTurn) {
    queues[turn.shard].append(turn)
    count += 1
  }

  mutating func removeAll() { self = JournalTurns(shards: queues.count) }

  /// Removes the turns of the last commit.
  mutating func removeGroup() {
    count -= group.count
    group.removeAll(keepingCapacity: true)
  }

  /// Returns whether a turn changes the table.
  func changes(_ table: String) -> Bool {
    group.contains { $0.changes(table) } || queues.contains { $0.contains { $0.changes(table) } }
  }

  // MARK: Groups

  /// Makes the group of the next commit, which has at least one turn if there is one.
  ///
  /// - Parameter bytesMax: The size of the group; one turn may exceed it.
  mutating func formGroup(of bytesMax: Int) {
    var bytes = group.reduce(0) { $0 + $1.bytes }
    // The position, from the shard that comes first, of one whose next turn is larger than its share.
    var large: Int?
    for offset in queues.indices {
      let shard = (first + offset) % queues.count
      let isTaken = take(of: shard, upTo: bytes + bytesMax / queues.count, &bytes)
      if !isTaken, !queues[shard].isEmpty, large == nil { large = offset }
    }
    if let large, bytes < bytesMax {
      if group.isEmpty || isLargeDue {
        let shard = (first + large) % queues.count
        first = (shard + 1) % queues.count
        append(queues[shard].popFirst(), &bytes)
        isLargeDue = false
      } else {
        isLargeDue = true
      }
    }
    for offset in queues.indices { _ = take(of: (first + offset) % queues.count, upTo: bytesMax, &bytes) }
  }

  /// Moves turns of a shard to the group.
  ///
  /// - Returns: Whether there was room for any.
  private mutating func take(of shard: Int, upTo bytesMax: Int, _ bytes: inout Int) -> Bool {
    var isTaken = false
    while let turn = queues[shard].first, bytes + turn.bytes <= bytesMax {
      append(queues[shard].popFirst(), &bytes)
      isTaken = true
    }
    return isTaken
  }

  private mutating func append(_ turn: JournalTurn?, _ bytes: inout Int) {
    guard let turn else { return }
    bytes += turn.bytes
    group.append(turn)
  }
}
