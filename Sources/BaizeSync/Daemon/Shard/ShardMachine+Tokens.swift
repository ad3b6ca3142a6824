import BaizeTable
import BaizeWire

/// A signed token to verify, of a connection that waits for that.
public struct TokenVerification: Hashable, Sendable {
  public let connection: ConnectionID
  public let token: String
}

/// What a host finds of a signed token.
public enum TokenVerdict: Hashable, Sendable {
  /// The person has these rights until a time in seconds since 1970.
  case granted(TokenRights, until: Int64)
  /// The token was right, and its time is up.
  case expired
  case refused
  /// It was not looked at: its address has had too many refused.
  case postponed
}

/// Signed tokens (J23): the host verifies that of a hello outside of the shard's turns, before anything is looked up, and another one
/// that a member presents in its place.
///
/// ```
/// hello ─▶ verification requested ─▶ verified ─▶ admitted, as any hello, with what the token says
///                                        └▶ TOKEN_EXPIRED, TOKEN_REFUSED
/// member's next token ─▶ verification requested ─▶ verified ─▶ stays; RESEATED, where it gives other rights
/// ```
extension ShardMachine {
  /// Returns a hello with what its token says; `nil` if it waits until that is verified.
  mutating func granted(_ hello: Hello, _ id: ConnectionID) throws(Rejection) -> Hello? {
    guard policy.needsToken else { return hello }
    guard connections[Int(id.slot)]?.isOperator != true else { return hello.watching }
    guard let rights = connections.granted(of: id)?.rights else {
      try requestVerification(of: hello.signedToken, for: .hello(hello), id)
      connections.setStage(.waiting, of: id)
      return nil
    }
    guard rights.admits(to: hello.table) else { throw .refusedToken }
    var hello = hello
    hello.signedToken = ""
    hello.credential = rights.credential
    hello.name = rights.name ?? hello.name
    if rights.isViewer { hello.role = .spectator }
    return hello
  }

  private mutating func requestVerification(
    of token: String, for purpose: PendingTokens.Purpose, _ id: ConnectionID
  ) throws(Rejection) {
    let account = connections[Int(id.slot)].flatMap { $0.isShared || $0.peer == .unknown ? nil : $0.account }
    guard tokens.hasRoom(for: account) else { throw .postponedToken(limits) }
    tokens.append(purpose, of: id, chargedTo: account)
    requests.verifications.append(TokenVerification(connection: id, token: token))
  }

  /// Handles a token that a member presents in place of its present one. One is verified at a time: of others in between, nothing
  /// follows.
  mutating func refresh(_ token: String, _ id: ConnectionID, _ table: Int, at now: Instant) {
    guard policy.needsToken, connections.granted(of: id) != nil, !tokens.isWaiting(id) else { return }
    do throws(Rejection) {
      try requestVerification(of: token, for: .refresh(table: tables[table].name), id)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  /// Handles what the host has found of a token at a turn's request. The connection is admitted by ``admitWaiting(at:)``.
  public mutating func verified(_ id: ConnectionID, _ verdict: TokenVerdict) { tokens.answer(id, verdict) }

  /// Takes over what is revoked. Connections with a token that is end within the next seconds.
  public mutating func revoke(_ revocations: Set<Revocation>) { self.revocations.set(revocations) }

  /// Admits connections whose token is verified, as many as the turn's budget allows, but at least one.
  mutating func admitVerified(at now: Instant) {
    guard tokens.hasAnswered else { return }
    var count = 0
    while count == 0 || !isTurnFull, let (id, purpose, verdict) = tokens.popAnswered() {
      count += 1
      let before = queue.open.workUnits
      switch purpose {
      case .hello(let hello):
        admitWaiting(id, at: now) { (shard) throws(Rejection) in
          shard.connections.setGranted(try shard.granted(verdict), of: id)
          shard.admit(hello, id, at: now)
        }
      case .refresh(let table): refresh(id, at: table, verdict, at: now)
      }
      budget.charge(ServerLimits.admissionWork + queue.open.workUnits - before)
    }
  }

  private func granted(_ verdict: TokenVerdict) throws(Rejection) -> ShardConnections.Granted {
    switch verdict {
    case .granted(let rights, let until):
      guard !rights.isRevoked(by: revocations.all) else { throw .refusedToken }
      return ShardConnections.Granted(rights: rights, until: until)
    case .expired: throw .expiredToken
    case .refused: throw .refusedToken
    case .postponed: throw .postponedToken(limits)
    }
  }

  private mutating func refresh(_ id: ConnectionID, at table: String, _ verdict: TokenVerdict, at now: Instant) {
    guard let stage = connections.stage(of: id), let old = connections.granted(of: id) else { return }
    switch stage {
    case .member, .waiting: break
    case .handshake, .closing: return
    }
    do throws(Rejection) {
      let new = try granted(verdict)
      guard new.rights.isPerson(of: old.rights), new.rights.admits(to: table) else { throw .refusedToken }
      guard new.rights.isSame(as: old.rights) else { throw .changedToken }
      connections.setGranted(new, of: id)
      sendTokenTime(to: id)
    } catch {
      dismiss(id, error.goodbye, at: now)
    }
  }

  /// Tells a member how long its token is valid.
  mutating func sendTokenTime(to id: ConnectionID) {
    guard let until = connections.granted(of: id)?.until else { return }
    queue.open.send(.tokenTime(seconds: UInt32(clamping: max(0, until - unixTime))), to: id)
  }

  /// Returns the goodbye for a connection whose token has expired or is revoked; `nil` if neither is so.
  func timedOut(_ granted: ShardConnections.Granted, _ stage: ShardConnections.Stage) -> Goodbye? {
    switch stage {
    case .member, .waiting:
      if revocations.isNew(granted.rights) { return Rejection.revokedToken.goodbye }
      if case .member = stage, granted.until <= unixTime { return Rejection.expiredToken.goodbye }
      return nil
    case .handshake, .closing: return nil
    }
  }
}

extension Hello {
  /// What a connection with an operator's ticket may do without a token: watch.
  fileprivate var watching: Hello {
    var hello = self
    (hello.role, hello.tableType, hello.credential) = (.spectator, "", [])
    return hello
  }
}

extension Rejection {
  /// The answer to everything that is wrong with a token, so that nobody learns what.
  static let refusedToken = Self(.tokenRefused, "a signed token is needed for this table, and this is none")
  static let expiredToken = Self(.tokenExpired, "the signed token has expired")
  static let revokedToken = Self(.tokenRefused, "the signed token is not accepted any more")
  /// A member has to join again, since its next token makes it something else.
  static let changedToken = Self(
    Goodbye(.reseated, detail: "the signed token gives other rights than the last one", isResumable: true))

  static func postponedToken(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .slow, detail: "too many tokens wait to be verified",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }
}
