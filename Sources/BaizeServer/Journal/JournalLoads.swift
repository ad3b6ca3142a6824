import BaizeTable
import BaizeTransport

/// The tables that shards ask the journal for, and the number of those that are being read and decoded on other threads.
struct JournalLoads {
  /// In the order of the requests.
  private var queue = Queue<Load>()
  /// Those that wait for writes of the same table.
  private var held: [Load] = []
  var decodingCount = 0

  /// A shard's request for a table.
  struct Load {
    let shard: Int
    let table: String
    let bytesMax: Int
  }

  /// Whether the next table may be read now. The number of those that are being read or decoded is bounded.
  var canBegin: Bool { !queue.isEmpty && decodingCount < ServerLimits.tablesDecodingMax }

  mutating func append(_ load: Load) { queue.append(load) }

  /// Returns the next request, if its table may be read now.
  mutating func popFirst() -> Load? { canBegin ? queue.popFirst() : nil }

  /// Keeps a request until the next writes are durable or void.
  mutating func hold(_ load: Load) { held.append(load) }

  /// Queues those that were held.
  mutating func free() {
    for load in held { queue.append(load) }
    held.removeAll()
  }
}
