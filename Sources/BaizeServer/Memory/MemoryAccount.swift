import BaizeSync
import BaizeSystem
import BaizeTable
import Dispatch
import Synchronization

/// The memory that all of a daemon's clients make it use, charged by its shards, and the measures when it is short.
final class MemoryAccount: Sendable {
  /// The limit, in bytes.
  let bytesMax: Int
  /// The change of a shard's memory that is charged at once.
  let stepBytes: Int
  private let shardCount: Int
  /// What each account holds of it.
  let ledger = MemoryLedger()
  private let log: Log
  private let state: Mutex<State>

  private struct State {
    var shards: [Int]
    var http = 0
    var loading = 0
    var mark = MemoryMark.normal
    /// The most that was charged since free memory was last returned to the system.
    var peak = 0

    var bytes: Int { shards.reduce(loading + http, +) }
  }

  init(bytesMax: Int, shards: Int, log: Log) {
    (self.bytesMax, stepBytes, self.log) = (bytesMax, min(bytesMax / 256, 4 << 20), log)
    shardCount = max(1, shards)
    state = Mutex(State(shards: Array(repeating: 0, count: shards)))
  }

  /// The memory that no shard charges.
  var useBesidesShards: MemoryUse { state.withLock { MemoryUse(loading: $0.loading, http: $0.http) } }

  /// The number of bytes charged at present, and the measures that hold.
  var present: (bytes: Int, mark: MemoryMark) { state.withLock { ($0.bytes, $0.mark) } }

  /// The number of bytes that may be charged besides before new tables are refused.
  var room: Int { roomMax - present.bytes }

  /// The number of bytes from which new tables are refused.
  var roomMax: Int { MemoryMark.refusing.beginBytes(of: bytesMax) }

  /// What floors of tables may take on each shard: beyond the first mark and below the second, so that they do not add up to more
  /// than there is.
  var floorsReserve: Int {
    (MemoryMark.shedding.beginBytes(of: bytesMax) - MemoryMark.refusing.beginBytes(of: bytesMax)) / shardCount
  }

  /// Charges a shard's present memory.
  ///
  /// - Returns: The measures that hold now, and the shard's share of what exceeds the highest mark, in bytes.
  func charge(shard: Int, _ bytes: Int) -> (mark: MemoryMark, excess: Int) {
    let (mark, all) = change { $0.shards[shard] = bytes }
    let excess = all - MemoryMark.disconnecting.endBytes(of: bytesMax)
    return (mark, excess <= 0 ? 0 : Int(Double(excess) * Double(bytes) / Double(max(1, all))))
  }

  /// Charges, or no longer charges if negative, memory of tables that are being loaded.
  func chargeLoading(_ bytes: Int) { _ = change { $0.loading += bytes } }

  /// Charges the present memory of HTTP's responses.
  ///
  /// - Returns: The measures that hold now.
  func chargeHTTP(_ bytes: Int) -> MemoryMark { change { $0.http = bytes }.mark }

  private func change(_ change: (inout State) -> Void) -> (mark: MemoryMark, bytes: Int) {
    let (last, mark, bytes, hasFallen) = state.withLock { state in
      change(&state)
      let (last, bytes) = (state.mark, state.bytes)
      state.mark = MemoryMark.mark(bytes: bytes, of: bytesMax, after: last)
      let hasFallen = bytes + Self.returnedBytesMin < state.peak
      state.peak = hasFallen ? bytes : max(bytes, state.peak)
      return (last, state.mark, bytes, hasFallen)
    }
    if hasFallen { Self.returnFree() }
    if mark != last {
      log(
        mark > last ? .warning : .info,
        "memory: \(Self.megabytes(bytes)) of \(Self.megabytes(bytesMax)) are charged, \(mark.measure)")
    }
    return (mark, bytes)
  }

  // MARK: Returning memory

  /// The fall of what is charged after which free memory is returned to the system.
  private static let returnedBytesMin = 32 << 20
  private static let queue = DispatchQueue(label: "baize.memory", qos: .utility)

  /// Returns free memory to the system, once what was charged last is free: the allocator alone does so only for what is at its
  /// end.
  private static func returnFree() {
    queue.asyncAfter(deadline: .now() + .milliseconds(500)) { FreeMemory.returnToSystem() }
  }

  private static func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MiB" }
}

extension MemoryMark {
  /// The measure in words, for the log.
  fileprivate var measure: String {
    switch self {
    case .normal: "enough again"
    case .refusing: "so that new tables are refused"
    case .shedding: "so that history and idle tables are given up"
    case .disconnecting: "so that the connections that use the most are disconnected"
    }
  }
}
