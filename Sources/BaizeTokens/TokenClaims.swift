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

/// A JSON object of a token, whose members have the types that are asked for.
struct TokenObject {
  private let members: [String: JSON]
  private let name: String

  init(_ bytes: [UInt8], _ name: String) throws(TokenRefusal) {
    let json: JSON
    do throws(DocumentMistakes) {
      json = try JSONParser.parse(bytes)
    } catch {
      throw TokenRefusal("\(name) are no JSON, or one is there twice")
    }
    try self.init(json, name)
  }

  private init(_ json: JSON, _ name: String) throws(TokenRefusal) {
    guard case .object(let members) = json.content else { throw TokenRefusal("\(name) are no JSON object") }
    self.members = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
    self.name = name
  }

  var keys: some Sequence<String> { members.keys }

  func has(_ key: String) -> Bool { members[key] != nil }

  func text(_ key: String) throws(TokenRefusal) -> String? {
    guard let value = members[key] else { return nil }
    guard case .text(let text) = value.content, text.utf8.count <= TokenLimits.claimBytesMax else {
      throw TokenRefusal("'\(key)' is not a text of at most \(TokenLimits.claimBytesMax) bytes")
    }
    return text
  }

  /// Returns a list of texts, or the only one; empty without the member.
  func texts(_ key: String) throws(TokenRefusal) -> [String] {
    if case .text? = members[key]?.content { return [try text(key)].compactMap(\.self) }
    return members[key] == nil ? [] : try list(key, countMax: .max)
  }

  func list(_ key: String, countMax: Int) throws(TokenRefusal) -> [String] {
    guard case .array(let values)? = members[key]?.content, values.count <= countMax else {
      throw TokenRefusal("'\(key)' is not a list of texts, or of too many")
    }
    return try values.map { (value) throws(TokenRefusal) in
      guard case .text(let text) = value.content else { throw TokenRefusal("'\(key)' is not a list of texts") }
      return text
    }
  }

  func object(_ key: String) throws(TokenRefusal) -> TokenObject? {
    try members[key].map { (value) throws(TokenRefusal) in try TokenObject(value, "the members of '\(key)'") }
  }

  /// Returns a whole number.
  func number(_ key: String, in range: ClosedRange<Int64>) throws(TokenRefusal) -> Int64? {
    guard let value = members[key] else { return nil }
    guard case .integer(let number) = value.content, range.contains(number) else {
      throw TokenRefusal("'\(key)' is not a whole number from \(range.lowerBound)")
    }
    return number
  }

  /// Returns a time in seconds since 1970. A fraction is cut off.
  func time(_ key: String) throws(TokenRefusal) -> Int64? {
    guard let value = members[key] else { return nil }
    switch value.content {
    case .integer(let seconds) where Self.times.contains(seconds): return seconds
    case .number(let text):
      guard let seconds = Double(text), seconds >= 0, seconds <= Double(Self.times.upperBound) else { break }
      return Int64(seconds)
    case .integer, .null, .boolean, .text, .array, .object: break
    }
    throw TokenRefusal("'\(key)' is not a time in seconds since 1970")
  }

  /// Times of which sums do not overflow: up to the year 9999.
  private static let times: ClosedRange<Int64> = 0...253_402_300_799
}
