import BaizeSync
import BaizeTable
import BaizeTransport
import Synchronization

/// The operator's access to a daemon's tables from a thread that serves none: every call waits for a shard.
struct TableOperator: Sendable {
  let shards: [ShardEndpoint]

  /// The time to wait for a shard.
  let nanosecondsMax: UInt64

  /// Summaries of all tables in memory, in no particular order; `nil` if a shard does not answer.
  ///
  /// Tables that come and go meanwhile may be missing.
  func tables() -> [LiveTable]? {
    var tables: [LiveTable] = []
    for shard in shards {
      var position = 0
      while true {
        guard case .tables(let some)? = ask(.list(from: position), shard) else { return nil }
        guard !some.isEmpty else { break }
        tables += some
        position += some.count
      }
    }
    return tables
  }

  /// What the addresses that take the most have, over all shards; `nil` if a shard does not answer.
  func accounts() -> [PeerLoad]? {
    var sums: [PeerID: PeerLoad] = [:]
    for shard in shards {
      guard case .accounts(let loads)? = ask(.accounts, shard) else { return nil }
      for load in loads { sums[load.peer, default: PeerLoad(peer: load.peer)] += load }
    }
    return Array(sums.values)
  }

  /// Whether a shard has ended: then all do.
  var haveEnded: Bool { shards.contains { $0.hasEnded.load(ordering: .relaxed) } }

  /// Has the shard of a table carry something out.
  ///
  /// - Returns: The answer; `nil` if there is none in time.
  func ask(_ action: OperatorRequest.Action, ofTable table: String) -> OperatorAnswer? {
    ask(action, shards[ShardMachine.shard(ofTable: table, among: shards.count)])
  }

  private func ask(_ action: OperatorRequest.Action, _ shard: ShardEndpoint) -> OperatorAnswer? {
    // Without descriptors left there is no answer to wait for.
    guard let reply = try? OperatorReply<OperatorAnswer>() else { return nil }
    shard.mailbox.send(.operation(OperatorRequest(action: action, answer: reply.resolve)))
    return reply.wait(nanoseconds: nanosecondsMax) { shard.hasEnded.load(ordering: .relaxed) }
  }
}
