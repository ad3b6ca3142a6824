import BaizeSync
import BaizeTable
import BaizeTableTypes

/// What is revoked, and until when: as a token that the daemon accepts lives for at most a day, no entry is needed for longer.
///
/// ```json
/// {"revocations":[{"issuer":"app","subject":"ann","until":1800000000},{"issuer":"app","token":"7f3a","until":1800000000}]}
/// ```
struct RevocationList: Equatable, Sendable {
  /// The ends, in seconds since 1970.
  private(set) var ends: [Revocation: Int64] = [:]

  init() {}

  var all: Set<Revocation> { Set(ends.keys) }
  var count: Int { ends.count }
  /// The time at which the first of them ends; `nil` if there is none.
  private(set) var firstEnd: Int64?

  mutating func insert(_ revocation: Revocation, until end: Int64) throws(RevocationError) {
    guard ends[revocation] != nil || ends.count < ServerLimits.revocationsMax else {
      throw RevocationError("there are \(ends.count) revocations, which is the limit")
    }
    ends[revocation] = end
    firstEnd = min(firstEnd ?? end, end)
  }

  /// - Returns: Whether it was there.
  mutating func remove(_ revocation: Revocation) -> Bool {
    defer { firstEnd = ends.values.min() }
    return ends.removeValue(forKey: revocation) != nil
  }

  /// Drops what has ended.
  mutating func removeEnded(at now: Int64) {
    ends = ends.filter { $0.value > now }
    firstEnd = ends.values.min()
  }

  // MARK: The document

  /// Reads a document, without what has ended.
  init(parsing bytes: [UInt8], at now: Int64) throws(RevocationError) {
    let document: JSON
    do throws(DocumentMistakes) {
      document = try JSONParser.parse(bytes, bytesMax: ServerLimits.revocationBytesMax)
    } catch {
      throw RevocationError("it is no JSON document, or has a member twice (\(error.mistakes[0].position))")
    }
    guard case .object(let members) = document.content, let list = members.first, list.key == "revocations",
      members.count == 1, case .array(let entries) = list.value.content
    else { throw RevocationError("it is no object with a list of 'revocations'") }
    for entry in entries {
      guard let (revocation, end) = Self.parse(entry) else {
        throw RevocationError("an entry has not an 'issuer', a 'subject' or a 'token', and 'until' (\(entry.position))")
      }
      if end > now { try insert(revocation, until: end) }
    }
  }

  private static func parse(_ entry: JSON) -> (Revocation, Int64)? {
    guard case .object(let members) = entry.content, members.count == 3 else { return nil }
    var texts: [String: String] = [:]
    var end: Int64?
    for member in members {
      switch member.value.content {
      case .text(let text): texts[member.key] = text
      case .integer(let number) where member.key == "until": end = number
      case .null, .boolean, .integer, .number, .array, .object: return nil
      }
    }
    guard let issuer = texts["issuer"], let end else { return nil }
    if let subject = texts["subject"] { return (.subject(issuer: issuer, subject: subject), end) }
    return texts["token"].map { (.token(issuer: issuer, id: $0), end) }
  }

  /// The document, with the entries in an order that does not depend on chance.
  var json: [UInt8] {
    let entries = ends.map { (words: Self.words(of: $0.key), until: $0.value) }
    var writer = JSONWriter()
    writer.object { json in
      json.field("revocations") { json in
        json.array { json in
          for entry in entries.sorted(by: { $0.words.lexicographicallyPrecedes($1.words) }) {
            json.object { json in
              json.field("issuer", entry.words[0])
              json.field(entry.words[1], entry.words[2])
              json.field("until", entry.until)
            }
          }
        }
      }
    }
    return writer.bytes
  }

  /// Returns the document, for who keeps it.
  func document() throws(RevocationError) -> [UInt8] {
    let json = json
    guard json.count <= ServerLimits.revocationBytesMax else {
      throw RevocationError("there would be more than \(ServerLimits.revocationBytesMax) bytes of revocations")
    }
    return json
  }

  private static func words(of revocation: Revocation) -> [String] {
    switch revocation {
    case .subject(let issuer, let subject): [issuer, "subject", subject]
    case .token(let issuer, let id): [issuer, "token", id]
    }
  }
}

/// The reason why something cannot be revoked: a sentence without a capital letter or a full stop.
public struct RevocationError: Error, Equatable, Sendable, CustomStringConvertible {
  public let description: String
  /// Whether the same may succeed a little later.
  public let mayPass: Bool

  init(_ description: String, mayPass: Bool = false) { (self.description, self.mayPass) = (description, mayPass) }
}
