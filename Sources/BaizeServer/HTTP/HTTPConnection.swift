import BaizeHTTP
import BaizeTable
import BaizeTransport

/// A service's state of one connection, by slot.
struct HTTPConnection {
  enum Phase {
    case none
    /// It comes from a proxy, and waits for the header that tells the client. The limiter counts it for no address.
    case proxied
    /// It waits for a request, or for the rest of one.
    case receiving
    /// A response is being sent. The next request is not read before the client has taken it.
    case responding(closes: Bool)
    /// It is closing, or has left the service.
    case closing
  }

  var phase = Phase.none
  /// The transport reuses slots.
  var generation: UInt32 = 0
  var peer = SocketAddress.loopback(port: 0)
  var reader = HTTPRequestReader()
  /// The time at which the phase ends, in monotonic nanoseconds.
  var deadline: UInt64 = 0
  /// The number of bytes that the client had taken when the deadline was set.
  private var takenBytes: UInt64 = 0
  /// The form in which the limiter counts it.
  var count = Count.none

  /// Gives a client time for a response, or for the next part of a long one.
  mutating func awaitTaking(at now: UInt64, taken: UInt64) {
    deadline = now + HTTPLimits.responseSeconds * 1_000_000_000
    takenBytes = taken
  }

  /// Returns whether a client that has not taken all of a response in time has taken enough to go on.
  func isTaking(_ taken: UInt64) -> Bool { taken >= takenBytes + HTTPLimits.responseBytesMin }

  enum Count {
    case none
    /// For no address: the client is not known.
    case unidentified
    /// For its peer.
    case peer
  }
}
