import BaizeSync
import BaizeSystem
import BaizeTable
import BaizeTokens
import BaizeTransport
import BaizeWire
import Synchronization

/// Verifies signed tokens for the shards, on a thread of its own, which gives way to them; what was verified is remembered.
///
/// ```
/// shard: hello ─▶ request ─▶ thread: remembered, or by a key ─▶ shard's mailbox ─▶ admitted
/// ```
final class TokenService: Sendable {
  /// What is found of a token.
  enum Finding: Sendable {
    case granted(TokenRights, secondsLeft: Int64)
    case expired
    case refused
    /// Its address has had too many refused.
    case postponed
  }

  private struct Job: Sendable {
    let token: [UInt8]
    let peer: SocketAddress
    /// Whether the address stands for many, so that it is not held to what one of them does.
    let isShared: Bool
    let answer: @Sendable (Finding) -> Void
  }

  private struct State {
    var jobs = Queue<Job>()
    var verifier: TokenVerifier
    var revocations = RevocationList()
    var revoked: Set<Revocation> = []
    /// Receives what is revoked, whenever that changes.
    var onRevocation: @Sendable (Set<Revocation>) -> Void = { _ in }
    var cache = TokenCache()
    /// Raised when the keys change: what was verified before is not remembered.
    var generation = 0
    var isStopped = false
    var figures = TokenFigures()
    var refusals = RefusalCounts()
    var reports = ReportLimit<SocketAddress.Host>()
  }

  private let configuration: TokenConfiguration
  private let log: Log
  private let state: Mutex<State>
  private let waker: Waker
  /// Held while the file of revocations is changed.
  let changing = Mutex<Void>(())
  /// The present time in seconds since 1970.
  let clock: @Sendable () -> Int64

  var revocationFile: RevocationFile? { configuration.revocationFile.map(RevocationFile.init) }

  /// The issuers of which tokens name one.
  var issuers: [String] { configuration.issuers }

  /// Reads the keys, and what is revoked.
  ///
  /// - Throws: `TokenKeyError` or `RevocationError` in words if they cannot be used.
  init(
    _ tokens: TokenConfiguration, _ log: Log, clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) throws {
    (configuration, self.log, self.clock) = (tokens, log, clock)
    state = Mutex(State(verifier: try Self.verifier(tokens)))
    waker = try Waker()
    use(try readRevocations())
  }

  private static func verifier(_ tokens: TokenConfiguration) throws(TokenKeyError) -> TokenVerifier {
    try TokenVerifier(
      files: tokens.keyFiles, TokenDemands(issuers: tokens.issuers, audience: tokens.audience))
  }

  /// Reads the keys and what is revoked again; ``takeOver(_:)`` has both in force.
  func read() throws -> TokenVerifier {
    _ = try readRevocations()
    return try Self.verifier(configuration)
  }

  /// Takes over keys that were read, and what is revoked now.
  func takeOver(_ verifier: TokenVerifier) throws(RevocationError) {
    try changing.withLock { (_) throws(RevocationError) in
      use(try readRevocations())
      state.withLock { state in
        state.verifier = verifier
        state.cache.removeAll()
        state.generation += 1
      }
    }
  }

  // MARK: Revocations

  /// What is revoked.
  var revocations: RevocationList { state.withLock { $0.revocations } }

  /// Sets who is told what is revoked, at once and whenever that changes.
  func onRevocation(_ tell: @escaping @Sendable (Set<Revocation>) -> Void) {
    let revoked = state.withLock { state in
      state.onRevocation = tell
      return state.revoked
    }
    if !revoked.isEmpty { tell(revoked) }
  }

  func use(_ list: RevocationList) {
    let tell = state.withLock { state -> (@Sendable (Set<Revocation>) -> Void)? in
      state.revocations = list
      guard state.revoked != list.all else { return nil }
      state.revoked = list.all
      return state.onRevocation
    }
    tell?(list.all)
  }

  // MARK: Asking

  /// Has a token verified. Their number is bounded by that of those who wait (`ServerLimits.tokensWaitingMax`).
  func verify(
    _ token: [UInt8], of peer: SocketAddress, isShared: Bool, _ answer: @escaping @Sendable (Finding) -> Void
  ) {
    state.withLock { $0.jobs.append(Job(token: token, peer: peer, isShared: isShared, answer: answer)) }
    waker.wake()
  }

  var figures: TokenFigures {
    state.withLock { state in
      var figures = state.figures
      (figures.waiting, figures.remembered) = (state.jobs.count, state.cache.count)
      figures.revocations = state.revoked.count
      return figures
    }
  }

  // MARK: The thread

  /// Runs the body of the thread.
  func serve() {
    while !state.withLock({ $0.isStopped }) {
      while let job = state.withLock({ $0.isStopped ? nil : $0.jobs.popFirst() }) { job.answer(finding(job)) }
      waker.wait()
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    waker.wake()
  }

  private func finding(_ job: Job) -> Finding {
    let (now, digest) = (clock(), TokenVerifier.digest(of: job.token))
    let (known, verifier, generation) = state.withLock { ($0.cache[digest], $0.verifier, $0.generation) }
    if let known { return finding(known, digest, job, at: now) }
    let instant = Instant(nanoseconds: MonotonicClock.now())
    guard state.withLock({ job.isShared || $0.refusals.admits(job.peer.host.counted, at: instant) }) else {
      state.withLock { $0.figures.count(\.postponed) }
      return .postponed
    }
    do throws(TokenRefusal) {
      let claims = try verifier.verify(job.token, at: now)
      return try state.withLock { (state) throws(TokenRefusal) in
        guard !claims.rights.isRevoked(by: state.revoked) else { throw .revoked }
        state.figures.count(\.verified)
        // Unless the keys have changed meanwhile.
        if state.generation == generation { state.cache.insert(claims, digest) }
        return .granted(claims.rights, secondsLeft: claims.expires + TokenLimits.leewaySeconds - now)
      }
    } catch {
      return refused(error, job)
    }
  }

  private func finding(_ known: TokenClaims, _ digest: [UInt8], _ job: Job, at now: Int64) -> Finding {
    let left = known.expires + TokenLimits.leewaySeconds - now
    do throws(TokenRefusal) {
      try state.withLock { (state) throws(TokenRefusal) in
        guard !known.rights.isRevoked(by: state.revoked) else { throw .revoked }
        if left <= 0 { state.cache.remove(digest) }
        state.figures.count(left > 0 ? \.remembered : \.expired)
      }
    } catch {
      return refused(error, job)
    }
    return left > 0 ? .granted(known.rights, secondsLeft: left) : .expired
  }

  /// Counts a token that is refused, and says why in the log: once a minute of each address. Clients are not told.
  private func refused(_ refusal: TokenRefusal, _ job: Job) -> Finding {
    let isNew = state.withLock { state in
      let now = Instant(nanoseconds: MonotonicClock.now())
      state.figures.count(refusal.isExpired ? \.expired : \.refused)
      if !job.isShared { state.refusals.note(job.peer.host.counted, at: now) }
      return state.reports.admits(job.peer.host.counted, at: now)
    }
    log(isNew ? .info : .debug, "\(job.peer) shows a signed token that is not accepted: \(refusal)")
    return refusal.isExpired ? .expired : .refused
  }
}

/// The tokens of each address that were refused within the present minute: to verify more of them would cost others' time.
struct RefusalCounts {
  private var counts: [SocketAddress.Host: Int] = [:]
  private var begun = Instant(nanoseconds: 0)

  mutating func admits(_ host: SocketAddress.Host, at now: Instant) -> Bool {
    startAnew(at: now)
    return counts[host, default: 0] < ServerLimits.tokensRefusedPerAddressMax
  }

  mutating func note(_ host: SocketAddress.Host, at now: Instant) {
    startAnew(at: now)
    guard counts[host] != nil || counts.count < ServerLimits.tokenAddressesMax else { return }
    counts[host, default: 0] += 1
  }

  private mutating func startAnew(at now: Instant) {
    guard now.milliseconds(since: begun) >= 60_000 else { return }
    (begun, counts) = (now, [:])
  }
}

/// What is counted of tokens.
struct TokenFigures: Sendable {
  private(set) var counts = Counts()
  /// Those that wait to be verified.
  var waiting = 0
  /// Those that are remembered.
  var remembered = 0
  /// What is revoked.
  var revocations = 0

  struct Counts: Sendable {
    var verified = 0
    var remembered = 0
    var expired = 0
    var refused = 0
    var postponed = 0
  }

  mutating func count(_ outcome: WritableKeyPath<Counts, Int>) { counts[keyPath: outcome] += 1 }
}
