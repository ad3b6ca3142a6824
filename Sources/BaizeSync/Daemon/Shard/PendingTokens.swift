import BaizeTable
import BaizeWire

/// The connections whose tokens are being verified.
struct PendingTokens {
  /// What a token is for.
  enum Purpose {
    case hello(Hello)
    /// It takes the place of a member's present one.
    case refresh(table: String)
  }

  private struct Waiting {
    let purpose: Purpose
    /// The account that it counts to; `nil` for an address that stands for many.
    let account: AccountKey?
    /// Whether the connection is closed. It counts until the answer comes: the host has its token until then.
    var isAbandoned = false
    var isAnswered = false
  }

  private var waiting: [ConnectionID: Waiting] = [:]
  private var answered = WaitingQueue<ConnectionID, TokenVerdict>()
  /// The number of those that wait, by account.
  private var counts: [AccountKey: Int] = [:]

  var hasAnswered: Bool { !answered.isEmpty }

  /// Returns whether another token may wait.
  ///
  /// - Parameter account: The account that it would count to; `nil` for an address that stands for many.
  func hasRoom(for account: AccountKey?) -> Bool {
    waiting.count < ServerLimits.tokensWaitingMax
      && (account.map { counts[$0, default: 0] < ServerLimits.tokensWaitingPerAddressMax } ?? true)
  }

  func isWaiting(_ id: ConnectionID) -> Bool { waiting[id] != nil }

  mutating func append(_ purpose: Purpose, of id: ConnectionID, chargedTo account: AccountKey?) {
    waiting[id] = Waiting(purpose: purpose, account: account)
    if let account { counts[account, default: 0] += 1 }
  }

  /// Forgets a connection that waits.
  mutating func remove(_ id: ConnectionID) {
    guard let isAnswered = waiting[id]?.isAnswered else { return }
    guard isAnswered else {
      waiting[id]?.isAbandoned = true
      return
    }
    _ = take(id)
    answered.remove(id)
  }

  private mutating func take(_ id: ConnectionID) -> Waiting? {
    guard let one = waiting.removeValue(forKey: id) else { return nil }
    if let account = one.account {
      let left = counts[account, default: 0] - 1
      counts[account] = left > 0 ? left : nil
    }
    return one
  }

  /// Notes the answer to a connection's request, if it still waits for one.
  mutating func answer(_ id: ConnectionID, _ verdict: TokenVerdict) {
    guard let one = waiting[id], !one.isAnswered else { return }
    guard !one.isAbandoned else {
      _ = take(id)
      return
    }
    waiting[id]?.isAnswered = true
    answered.append(verdict, for: id)
  }

  mutating func popAnswered() -> (ConnectionID, Purpose, TokenVerdict)? {
    while let (id, verdict) = answered.popFirst() {
      if let one = take(id) { return (id, one.purpose, verdict) }
    }
    return nil
  }
}

/// What is revoked, of which connections are told by the sweeps that follow.
struct TokenRevocations {
  private(set) var all: Set<Revocation> = []
  /// The sweeps that still have to look at every connection: the present one may have passed some.
  private var sweepsLeft = 0

  mutating func set(_ revocations: Set<Revocation>) {
    all = revocations
    sweepsLeft = 2
  }

  func isNew(_ rights: TokenRights) -> Bool { sweepsLeft > 0 && rights.isRevoked(by: all) }

  mutating func endSweep() { sweepsLeft = max(0, sweepsLeft - 1) }
}
