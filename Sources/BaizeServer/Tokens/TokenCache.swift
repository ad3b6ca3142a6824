import BaizeSync
import BaizeTable
import BaizeTokens
import BaizeTransport

/// The tokens that were verified, until they end. It has their digests, and no token.
///
/// A person pays for what is remembered of its tokens: it has room for a few, so that no other's are forgotten for them.
struct TokenCache {
  private struct Person: Hashable {
    let issuer: String
    let subject: String
  }

  private var claims: [[UInt8]: TokenClaims] = [:]
  /// The digests, oldest first. Of one that was removed meanwhile, nothing follows.
  private var order = Queue<[UInt8]>()
  /// The digests of each person's, oldest first.
  private var persons: [Person: [[UInt8]]] = [:]

  subscript(digest: [UInt8]) -> TokenClaims? { claims[digest] }

  var count: Int { claims.count }

  /// Remembers a token, and forgets the oldest one of its person, or of all, if there are too many.
  mutating func insert(_ verified: TokenClaims, _ digest: [UInt8]) {
    guard claims.updateValue(verified, forKey: digest) == nil else { return }
    order.append(digest)
    let person = person(of: verified)
    persons[person, default: []].append(digest)
    if let own = persons[person], own.count > ServerLimits.tokensRememberedPerPersonMax, let oldest = own.first {
      remove(oldest)
    }
    while claims.count > ServerLimits.tokensRememberedMax, let oldest = order.popFirst() { remove(oldest) }
    // What was removed by its person stays in the order until it comes to the front.
    if order.count > 2 * ServerLimits.tokensRememberedMax { dropRemoved() }
  }

  /// Forgets a token, which has ended.
  mutating func remove(_ digest: [UInt8]) {
    guard let removed = claims.removeValue(forKey: digest) else { return }
    let person = person(of: removed)
    persons[person]?.removeAll { $0 == digest }
    if persons[person]?.isEmpty == true { persons[person] = nil }
  }

  mutating func removeAll() { self = TokenCache() }

  private func person(of claims: TokenClaims) -> Person {
    Person(issuer: claims.rights.issuer, subject: claims.rights.subject)
  }

  private mutating func dropRemoved() {
    var kept = Queue<[UInt8]>()
    while let digest = order.popFirst() { if claims[digest] != nil { kept.append(digest) } }
    order = kept
  }
}
