public import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeWire

/// What a token says whose signature holds.
public struct TokenClaims: Hashable, Sendable {
  public var rights: TokenRights
  /// The time of its end, in seconds since 1970.
  public var expires: Int64
}

/// The demands on the claims of every token.
public struct TokenDemands: Hashable, Sendable {
  public var issuers: [String]
  public var audience: String

  /// Creates demands: the token must name one of the issuers, and the audience.
  public init(issuers: [String], audience: String) { (self.issuers, self.audience) = (issuers, audience) }
}

extension TokenClaims {
  /// Reads the claims of a token whose signature holds.
  ///
  /// - Parameters:
  ///   - payload: Its JSON document.
  ///   - now: The present time, in seconds since 1970.
  init(payload: [UInt8], _ demands: TokenDemands, at now: Int64) throws(TokenRefusal) {
    let claims = try TokenObject(payload, "the claims")
    guard let issuer = try claims.text("iss"), demands.issuers.contains(where: { $0.utf8.elementsEqual(issuer.utf8) })
    else { throw TokenRefusal("it is of another issuer") }
    guard try claims.texts("aud").contains(where: { $0.utf8.elementsEqual(demands.audience.utf8) }) else {
      throw TokenRefusal("it is for another audience")
    }
    guard let subject = try claims.text("sub"), !subject.isEmpty else { throw TokenRefusal("it has no subject (sub)") }
    guard let expires = try claims.time("exp") else { throw TokenRefusal("it has no end (exp)") }
    self.expires = expires
    if let begin = try claims.time("nbf"), begin > now + TokenLimits.leewaySeconds {
      throw TokenRefusal("it is not valid yet (nbf)")
    }
    guard expires <= now + TokenLimits.lifetimeSecondsMax + TokenLimits.leewaySeconds else {
      throw TokenRefusal("it is valid for more than a day (exp)")
    }
    rights = try Self.rights(claims, issuer, subject)
    rights.tokenID = try claims.text("jti")
    // Only of a token that is right otherwise a client is told that it has expired.
    guard now < expires + TokenLimits.leewaySeconds else { throw TokenRefusal("it has expired (exp)", isExpired: true) }
  }

  private static func rights(
    _ claims: TokenObject, _ issuer: String, _ subject: String
  ) throws(TokenRefusal) -> TokenRights {
    guard let own = try claims.object("baize") else { throw TokenRefusal("it has no rights (baize)") }
    // A misspelt member would give other rights than were meant.
    guard own.keys.allSatisfy(["tables", "role", "seat", "name"].contains) else {
      throw TokenRefusal("the claim 'baize' has members that this daemon does not know")
    }
    let names = try own.list("tables", countMax: TokenLimits.patternsMax)
    let tables = names.compactMap(TablePattern.init(parsing:))
    guard !tables.isEmpty, names.count == tables.count else {
      throw TokenRefusal(
        "'baize.tables' is not a list of names of tables, or of their beginnings with a '*' behind them")
    }
    let role: Role
    switch try own.text("role") {
    case "player": role = .player
    case "viewer": role = .spectator
    case _: throw TokenRefusal("'baize.role' is neither 'player' nor 'viewer'")
    }
    let seat = try own.number("seat", in: 1...Int64(UInt32.max)).map { SeatNumber(rawValue: UInt32($0)) }
    guard seat == nil || role == .player else { throw TokenRefusal("a viewer has no 'baize.seat'") }
    let name = try own.text("name")
    guard name.map({ $0.utf8.count <= WireLimits.nameBytesMax }) ?? true else {
      throw TokenRefusal("'baize.name' has more than \(WireLimits.nameBytesMax) bytes")
    }
    return TokenRights(issuer: issuer, subject: subject, tables: tables, role: role, seat: seat, name: name)
  }
}
