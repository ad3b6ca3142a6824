/// The memory that accounts hold on all shards of a daemon.
///
/// Shards tell it in steps of ``ServerLimits/accountStepBytes`` and once per sweep, so that no operation waits for another shard.
public protocol ShareLedger: Sendable {
  /// Adds to what an account holds.
  ///
  /// - Parameters:
  ///   - bytes: The difference on the shard that asks; negative if it holds less.
  ///   - account: The account, or one of a network.
  /// - Returns: What it holds on all shards.
  func add(_ bytes: Int, to account: AccountKey) -> Int
}
