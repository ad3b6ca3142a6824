import BaizeTable
import BaizeTransport

/// The tables that shards ask the journal for.
struct JournalLoads {
  /// In the order of the requests.
  private var queue = Queue<Load>()
  /// The requests that wait for writes of the same table.
  private var held: [Load] = []

  /// A shard's request for a table.
  struct Load {
    let shard: Int
    let table: String
    let bytesMax: Int
    /// Whether it may move to the present document of its type.
    let mayMigrate: Bool
  }

  var isEmpty: Bool { queue.isEmpty }

  mutating func append(_ load: Load) { queue.append(load) }

  mutating func popFirst() -> Load? { queue.popFirst() }

  /// Keeps a request until the next writes are durable or void.
  mutating func hold(_ load: Load) { held.append(load) }

  /// Queues those that were held.
  mutating func free() {
    for load in held { queue.append(load) }
    held.removeAll()
  }
}
