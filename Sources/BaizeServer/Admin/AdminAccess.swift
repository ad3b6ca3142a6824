import BaizeHTTP
import BaizeSync
import BaizeTransport

/// The operator's token, and the limit of wrong ones.
struct AdminAccess {
  private let token: [UInt8]
  /// The wrong tokens of each address in the present period.
  private var failures: [SocketAddress.Host: Int] = [:]
  private var periodEnd: UInt64 = 0

  /// The number of wrong tokens of an address after which it is told to wait for the end of the period.
  private static let failuresMax = 10
  private static let periodNanoseconds: UInt64 = 60_000_000_000
  /// The number of addresses that are counted; the others share one count.
  private static let addressesMax = 1_024
  private static let others = SocketAddress.Host.v4(0)

  var countedAddresses: Int { failures.count }

  init(token: String) { self.token = Array(token.utf8) }

  /// Returns the reason why a request may not be answered; `nil` if it has the token.
  ///
  /// The right token is accepted whatever came before: others behind the same address do not lock the operator out.
  mutating func refusal(of request: HTTPRequest, from peer: SocketAddress.Host, at now: UInt64) -> HTTPRefusal? {
    guard request.value("authorization") != nil else {
      return HTTPRefusal(.unauthorized, "this needs 'Authorization: Bearer' with the operator's token")
    }
    if hasToken(request) { return nil }
    return countsFailure(of: peer, at: now)
      ? HTTPRefusal(.unauthorized, "the token is wrong")
      : HTTPRefusal(.tooManyRequests, "too many wrong tokens came from this address; wait a minute")
  }

  func hasToken(_ request: HTTPRequest) -> Bool {
    guard let words = request.value("authorization")?.split(separator: " ", maxSplits: 1), words.count == 2 else {
      return false
    }
    return words[0].lowercased() == "bearer" && Array(words[1].utf8).equalsInConstantTime(token)
  }

  /// Counts a wrong token, unless there were too many.
  ///
  /// - Returns: Whether it was counted.
  private mutating func countsFailure(of peer: SocketAddress.Host, at now: UInt64) -> Bool {
    if now >= periodEnd {
      failures.removeAll()
      periodEnd = now + Self.periodNanoseconds
    }
    let address = failures[peer] != nil || failures.count < Self.addressesMax ? peer : Self.others
    guard failures[address, default: 0] < Self.failuresMax else { return false }
    failures[address, default: 0] += 1
    return true
  }
}
