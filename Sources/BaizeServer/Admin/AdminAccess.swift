import BaizeHTTP
import BaizeSync
import BaizeTransport

/// The operator's token, and the limit of wrong ones.
struct AdminAccess {
  private let token: [UInt8]
  /// The wrong tokens of each address in the present period.
  private var failures: [SocketAddress.Host: Int] = [:]
  private var periodEnd: UInt64 = 0

  /// The number of wrong tokens of an address after which none of it is looked at in the same period.
  private static let failuresMax = 10
  private static let periodNanoseconds: UInt64 = 60_000_000_000
  /// The number of addresses that are counted; the others share one count.
  private static let addressesMax = 1_024
  private static let others = SocketAddress.Host.v4(0)

  var countedAddresses: Int { failures.count }

  init(token: String) { self.token = Array(token.utf8) }

  /// Returns the reason why a request may not be answered; `nil` if it has the token.
  mutating func refusal(of request: HTTPRequest, from peer: SocketAddress.Host, at now: UInt64) -> HTTPRefusal? {
    if now >= periodEnd {
      failures.removeAll()
      periodEnd = now + Self.periodNanoseconds
    }
    let address = failures[peer] != nil || failures.count < Self.addressesMax ? peer : Self.others
    guard failures[address, default: 0] < Self.failuresMax else {
      return HTTPRefusal(.tooManyRequests, "too many wrong tokens came from this address; wait a minute")
    }
    guard let credentials = request.value("authorization") else {
      return HTTPRefusal(.unauthorized, "this needs 'Authorization: Bearer' with the operator's token")
    }
    let words = credentials.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer", Array(words[1].utf8).equalsInConstantTime(token) else {
      failures[address, default: 0] += 1
      return HTTPRefusal(.unauthorized, "the token is wrong")
    }
    return nil
  }
}
