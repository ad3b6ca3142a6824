import BaizeSync
import BaizeTable
import BaizeTransport

/// The tokens of each address that were refused within the present minute: to verify more of them would cost others' time.
struct RefusalCounts {
  private var counts: [SocketAddress.Host: Int] = [:]
  /// Those of further addresses, which have a bound together.
  private var others = 0
  private var begun = Instant(nanoseconds: 0)

  mutating func admits(_ host: SocketAddress.Host, at now: Instant) -> Bool {
    startAnew(at: now)
    if let count = counts[host] { return count < ServerLimits.tokensRefusedPerAddressMax }
    return counts.count < ServerLimits.tokenAddressesMax || others < ServerLimits.tokenAddressesMax
  }

  mutating func note(_ host: SocketAddress.Host, at now: Instant) {
    startAnew(at: now)
    if counts[host] != nil || counts.count < ServerLimits.tokenAddressesMax {
      counts[host, default: 0] += 1
    } else {
      others += 1
    }
  }

  private mutating func startAnew(at now: Instant) {
    guard now.milliseconds(since: begun) >= 60_000 else { return }
    (begun, counts, others) = (now, [:], 0)
  }
}
