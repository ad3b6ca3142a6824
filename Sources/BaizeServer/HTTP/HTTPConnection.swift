import BaizeHTTP
import BaizeTable
import BaizeTransport

/// A service's state of one connection, by slot.
struct HTTPConnection {
  enum Phase {
    case none
    /// It comes from a proxy, and waits for the header that tells the client. Its place is one of the proxy's address.
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
  var place = Place.none

  /// Gives a client time for a response, or for the next part of a long one.
  mutating func awaitTaking(at now: UInt64, taken: UInt64, _ times: HTTPTimes) {
    deadline = now + times.responseNanoseconds
    takenBytes = taken
  }

  /// Returns whether a client that has not taken all of a response in time has taken enough to go on.
  func isTaking(_ taken: UInt64) -> Bool { taken >= takenBytes + HTTPLimits.responseBytesMin }

  enum Place {
    /// It has gone, or has given its place up and is about to go.
    case none
    /// It was rejected, and is being sent that.
    case rejected
    /// It has sent no request yet that strangers cannot send.
    case stranger
    /// It has shown a right.
    case authorized
  }
}

/// The times that a service gives its clients.
struct HTTPTimes {
  /// For a request.
  let requestNanoseconds: UInt64
  /// Between two requests.
  let idleNanoseconds: UInt64
  /// For a response, or `HTTPLimits.responseBytesMin` of it.
  let responseNanoseconds: UInt64

  /// The times of clients that a service is there for.
  init(requestSeconds: UInt64) {
    self.init(request: requestSeconds, idle: HTTPLimits.idleSeconds, response: HTTPLimits.responseSeconds)
  }

  private init(request: UInt64, idle: UInt64, response: UInt64) {
    requestNanoseconds = request * 1_000_000_000
    idleNanoseconds = idle * 1_000_000_000
    responseNanoseconds = response * 1_000_000_000
  }

  /// The times of strangers at an address that is for others.
  static func ofStrangers(requestSeconds: UInt64) -> Self {
    let seconds = ServerLimits.adminStrangerSeconds
    return Self(request: min(requestSeconds, seconds), idle: seconds, response: seconds)
  }
}
