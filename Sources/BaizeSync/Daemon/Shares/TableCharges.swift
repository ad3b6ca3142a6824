import BaizeTable

/// Who is charged for a table: what it contains is charged to those who put it there, and its machine to its creator.
///
/// ```
/// an operation of A makes it grow by 300    A 300 B 100   ─▶ A 600 B 100
/// an operation of B makes it shrink by 200  A 600 B 100   ─▶ A 500 B   0     B's own first, then the others' in proportion
/// ```
///
/// So nobody is charged for more than it has put there, and the sum is what the table contains.
struct TableCharges: Sendable {
  struct Charge: Hashable, Sendable {
    let account: AccountKey
    /// The bytes of contents.
    var bytes = 0
    /// The memory of its sessions, by the last sweep.
    var sessionBytes = 0
    /// What the shard has charged it for.
    fileprivate var applied = ShareAmounts()
  }

  /// The creator's charge first, whatever it has.
  private(set) var all: [Charge] = []
  /// The sum of the bytes of contents.
  private(set) var total = 0
  /// The contents that have changed since the accounts were charged last, and since that was recorded.
  private(set) var unsettledBytes = 0
  private(set) var unrecordedBytes = 0
  /// The account that pays for everything while the table is in memory: that of who had it loaded when its own could not pay.
  var payer: AccountKey?
  /// The bytes of contents to which the table may always grow.
  var floorBytes = 0
  /// Whether an operation was judged with less room than the table's limit.
  var isLimited = false

  /// The maximum number of charges; further accounts share one.
  static let countMax = ServerLimits.chargesPerTableMax

  init() {}

  /// Takes over what was recorded. It need not be the sum of what the table contains: ``divide(_:)`` settles that.
  init(restoring stored: [StoredCharge]) {
    for charge in stored.prefix(Self.countMax) where !all.contains(where: { $0.account == charge.account }) {
      // Whatever a file says, the sum does not overflow.
      let bytes = Int(clamping: min(charge.bytes, 1 << 48))
      all.append(Charge(account: charge.account, bytes: bytes))
      total += bytes
    }
  }

  var stored: [StoredCharge] { all.map { StoredCharge(account: $0.account, bytes: UInt64($0.bytes)) } }

  /// The account that stands for the table: the creator's, as long as it is known.
  var creator: AccountKey { all.first?.account ?? .common }

  /// Returns the account that pays for what another account adds.
  func payer(for account: AccountKey) -> AccountKey {
    if let payer { return payer }
    return all.count < Self.countMax - 1 || all.contains { $0.account == account } ? account : .common
  }

  /// The account that is charged for the most contents.
  var largest: AccountKey { all.max { $0.bytes < $1.bytes }?.account ?? .common }

  // MARK: Contents

  /// Charges for what an operation has changed.
  ///
  /// - Parameters:
  ///   - contentBytes: The size of the contents now.
  ///   - account: The account of its author.
  /// - Complexity: O(number of charges).
  mutating func note(_ contentBytes: Int, by account: AccountKey) {
    let change = contentBytes - total
    guard change != 0 else { return }
    count(change)
    if change > 0 {
      all[index(of: account)].bytes += change
      total += change
      return
    }
    if let own = all.firstIndex(where: { $0.account == account }) {
      let bytes = min(all[own].bytes, -change)
      all[own].bytes -= bytes
      total -= bytes
    }
    scale(to: contentBytes)
  }

  /// Charges for contents of which nobody knows the author, in proportion to what each has.
  mutating func divide(_ contentBytes: Int) {
    guard contentBytes != total else { return }
    count(contentBytes - total)
    if total == 0 {
      all[all.isEmpty ? index(of: .common) : 0].bytes = contentBytes
      total = contentBytes
    } else {
      scale(to: contentBytes)
    }
  }

  private mutating func count(_ change: Int) {
    unsettledBytes += abs(change)
    unrecordedBytes += abs(change)
  }

  /// Scales all charges, so that their sum becomes `bytes`.
  private mutating func scale(to bytes: Int) {
    guard bytes != total, total > 0 else { return }
    var (left, before) = (bytes, total)
    // Each gets its part of what is left, so that the last one with a charge gets the rest.
    for index in all.indices where all[index].bytes > 0 {
      let own = all[index].bytes
      let share = before == own ? left : Int(Double(left) * Double(own) / Double(before))
      // Never more than it had, if everything shrinks.
      all[index].bytes = bytes < total ? min(own, share) : share
      left -= all[index].bytes
      before -= own
    }
    total = bytes
  }

  private mutating func index(of account: AccountKey) -> Int {
    if let index = all.firstIndex(where: { $0.account == account }) { return index }
    guard all.count < Self.countMax - 1 || account == .common else { return index(of: .common) }
    all.append(Charge(account: account))
    return all.count - 1
  }

  mutating func noteRecorded() { unrecordedBytes = 0 }

  /// Makes an account the first one, before anything is charged.
  mutating func begin(by account: AccountKey) { _ = index(of: account) }

  // MARK: Sessions

  /// Charges for sessions as they are now.
  mutating func setSessions(_ bytes: [(account: AccountKey, bytes: Int)]) {
    for index in all.indices { all[index].sessionBytes = 0 }
    for (account, bytes) in bytes { all[index(of: account)].sessionBytes += bytes }
  }

  /// Charges for one more session, until all are charged again.
  mutating func addSession(_ account: AccountKey, _ bytes: Int) { all[index(of: account)].sessionBytes += bytes }

  /// Returns the account that is charged for a session of an account here: its own, or the one that further ones share.
  func account(ofSession account: AccountKey) -> AccountKey {
    all.contains { $0.account == account } ? account : .common
  }

  // MARK: Charging

  /// Charges the accounts for the present state: each for its sessions, for its contents, and for as large a part of what the table
  /// remembers besides as it has of the contents; the creator for the table itself.
  ///
  /// - Parameter memoryBytes: The memory of the table, with its sessions.
  mutating func settle(_ memoryBytes: Int, into accounts: inout ShareAccounts) {
    if all.isEmpty { begin(by: .common) }
    unsettledBytes = 0
    let besides = max(0, memoryBytes - all.reduce(0) { $0 + $1.sessionBytes })
    let base = total == 0 ? besides : min(besides, ServerLimits.tableBytes)
    for index in all.indices {
      let charge = all[index]
      var amounts = ShareAmounts(
        memory: charge.sessionBytes, sessions: charge.sessionBytes, contents: charge.bytes)
      if charge.bytes > 0 { amounts.memory += Int(Double(besides - base) * Double(charge.bytes) / Double(total)) }
      if index == 0 {
        amounts.memory += base
        amounts.floors = floorBytes
      }
      apply(amounts, at: index, to: &accounts)
    }
    if all.dropFirst().contains(where: \.isNothing) { all = [all[0]] + all.dropFirst().filter { !$0.isNothing } }
  }

  /// Charges nobody any more.
  mutating func release(from accounts: inout ShareAccounts) {
    for index in all.indices { apply(ShareAmounts(), at: index, to: &accounts) }
  }

  private mutating func apply(_ amounts: ShareAmounts, at index: Int, to accounts: inout ShareAccounts) {
    guard amounts != all[index].applied else { return }
    accounts.add(amounts - all[index].applied, to: payer ?? all[index].account)
    all[index].applied = amounts
  }
}

extension TableCharges.Charge {
  fileprivate var isNothing: Bool { bytes == 0 && sessionBytes == 0 && applied.isNothing }
}

/// What an account is charged for of a table's contents, as the journal keeps it.
public struct StoredCharge: Hashable, Sendable {
  public let account: AccountKey
  /// The bytes of contents.
  public let bytes: UInt64

  public init(account: AccountKey, bytes: UInt64) { (self.account, self.bytes) = (account, bytes) }
}
