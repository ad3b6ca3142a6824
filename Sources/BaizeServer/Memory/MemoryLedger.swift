import BaizeSync
import Synchronization

/// The memory that accounts hold on all shards.
///
/// An account that holds nothing has no entry, so that there are at most as many as the shards have.
final class MemoryLedger: ShareLedger {
  private let bytes = Mutex<[AccountKey: Int]>([:])

  func add(_ change: Int, to account: AccountKey) -> Int {
    bytes.withLock { bytes in
      let sum = bytes[account, default: 0] + change
      bytes[account] = sum == 0 ? nil : sum
      return sum
    }
  }
}
