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
    /// The end is in seconds since 1970.
    case granted(TokenRights, until: Int64)
    case expired
    case refused
    /// It was not looked at: its address has had too many refused, or it has waited for too long.
    case postponed
  }

  private struct Job: Sendable {
    let token: [UInt8]
    let peer: SocketAddress
    /// Whether the address stands for many, so that it is not held to what one of them does.
    let isShared: Bool
    let asked: Instant
    let answer: @Sendable (Finding) -> Void
  }

  /// An answer that waits, so that it does not tell by its time what was wrong.
  private struct Refusal {
    let due: Instant
    let finding: Finding
    let answer: @Sendable (Finding) -> Void
  }

  private struct State {
    var place: RevocationPlace
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
  let log: Log
  private let state: Mutex<State>
  private let waker: Waker
  /// Held while the file of revocations is changed.
  let changing = Mutex<Void>(())
  /// The changes to what is revoked that the journal is to keep.
  let changes = Mutex(RevocationChanges())
  /// The present time in seconds since 1970.
  let clock: @Sendable () -> Int64

  /// The issuers of which tokens name one.
  var issuers: [String] { configuration.issuers }

  /// Reads the keys, and what is revoked if that is in a file.
  ///
  /// - Parameter hasJournal: Whether there is a journal, of which ``openRevocations(_:keep:)`` tells when it is open.
  /// - Throws: `TokenKeyError` or `RevocationError` in words if they cannot be used.
  init(
    _ tokens: TokenConfiguration, _ log: Log, hasJournal: Bool,
    clock: @escaping @Sendable () -> Int64 = { Int64(time(nil)) }
  ) throws {
    (configuration, self.log, self.clock) = (tokens, log, clock)
    let place =
      tokens.revocationFile.map { .file(RevocationFile(path: $0)) }
      ?? (hasJournal ? RevocationPlace.closedJournal : .nowhere)
    state = Mutex(State(place: place, verifier: try Self.verifier(tokens)))
    waker = try Waker()
    if let list = try readRevocations() { use(list) }
  }

  private static func verifier(_ tokens: TokenConfiguration) throws(TokenKeyError) -> TokenVerifier {
    try TokenVerifier(
      files: tokens.keyFiles, TokenDemands(issuers: tokens.issuers, audience: tokens.audience))
  }

  /// Reads the keys and the file of what is revoked again, and takes both over if nothing fails.
  ///
  /// - Parameter others: Takes over what else is read again, if that does not fail.
  /// - Returns: A sentence about each change, behind those of `others`.
  func reload(_ others: () throws -> [String]) throws -> [String] {
    try changing.withLock { _ in
      let (list, verifier) = (try readRevocations(), try Self.verifier(configuration))
      var changes = try others()
      let before = revocations.count
      if let list { use(list) }
      if let list, before != list.count { changes.append("\(list.count) revocations of tokens (was \(before))") }
      let isChanged = state.withLock { state in
        defer { state.verifier = verifier }
        guard state.verifier.keyDigest != verifier.keyDigest else { return false }
        state.cache.removeAll()
        state.generation += 1
        return true
      }
      if isChanged { changes.append("other keys of tokens (\(verifier.keyCount))") }
      return changes
    }
  }

  // MARK: Revocations

  /// Where what is revoked is kept.
  var place: RevocationPlace {
    get { state.withLock { $0.place } }
    set { state.withLock { $0.place = newValue } }
  }

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
    let job = Job(
      token: token, peer: peer, isShared: isShared, asked: Instant(nanoseconds: MonotonicClock.now()), answer: answer)
    state.withLock { $0.jobs.append(job) }
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
    // In the order of the times at which they are due, since all wait equally long.
    var refusals = Queue<Refusal>()
    while !state.withLock({ $0.isStopped }) {
      while let job = state.withLock({ $0.isStopped ? nil : $0.jobs.popFirst() }) {
        answerDue(&refusals)
        changeRevocations()
        let finding = finding(job)
        if case .refused = finding {
          let due = job.asked.advanced(byMilliseconds: ServerLimits.tokenRefusalMilliseconds)
          refusals.append(Refusal(due: due, finding: finding, answer: job.answer))
        } else {
          job.answer(finding)
        }
      }
      answerDue(&refusals)
      changeRevocations()
      endRevocations()
      waker.wait(nanoseconds: waitNanoseconds(refusals.first?.due))
    }
  }

  private func answerDue(_ refusals: inout Queue<Refusal>) {
    guard !refusals.isEmpty else { return }
    let now = Instant(nanoseconds: MonotonicClock.now())
    while let first = refusals.first, first.due <= now {
      first.answer(first.finding)
      _ = refusals.popFirst()
    }
  }

  /// Drops what is not revoked any more.
  private func endRevocations() {
    let now = clock()
    guard let end = revocations.firstEnd, end <= now else { return }
    changing.withLock { _ in
      var list = revocations
      list.removeEnded(at: now)
      use(list)
    }
  }

  /// Returns how long the thread may wait: until a refusal is due, and no longer than the end of a revocation may be late.
  private func waitNanoseconds(_ due: Instant?) -> UInt64? {
    guard let due else { return revocations.firstEnd == nil ? nil : ServerLimits.revocationEndNanoseconds }
    return due.nanoseconds - min(due.nanoseconds, MonotonicClock.now())
  }

  /// Has the thread look at what is new.
  func wake() { waker.wake() }

  func stop() {
    state.withLock { $0.isStopped = true }
    waker.wake()
  }

  private func finding(_ job: Job) -> Finding {
    let (now, digest) = (clock(), TokenVerifier.digest(of: job.token))
    let (known, verifier, generation) = state.withLock { ($0.cache[digest], $0.verifier, $0.generation) }
    if let known { return finding(known, digest, job, at: now) }
    let instant = Instant(nanoseconds: MonotonicClock.now())
    guard instant.milliseconds(since: job.asked) < ServerLimits.tokenWaitMilliseconds,
      state.withLock({ job.isShared || $0.refusals.admits(job.peer.host.counted, at: instant) })
    else {
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
        return .granted(claims.rights, until: claims.expires + TokenLimits.leewaySeconds)
      }
    } catch {
      return refused(error, job)
    }
  }

  private func finding(_ known: TokenClaims, _ digest: [UInt8], _ job: Job, at now: Int64) -> Finding {
    let until = known.expires + TokenLimits.leewaySeconds
    do throws(TokenRefusal) {
      try state.withLock { (state) throws(TokenRefusal) in
        guard !known.rights.isRevoked(by: state.revoked) else { throw .revoked }
        if until <= now { state.cache.remove(digest) }
        state.figures.count(until > now ? \.remembered : \.expired)
      }
    } catch {
      return refused(error, job)
    }
    return until > now ? .granted(known.rights, until: until) : .expired
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
