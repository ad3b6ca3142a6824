import BaizeTable
import BaizeTransport
import BaizeWire

/// Connections that join and then only give a sign of life now and then.
final class IdleCrowd: OutgoingHandler {
  private let loop: EventLoop
  private let plan: IdlePlan
  private let address: SocketAddress
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var keys: [ConnectionKey] = []
  /// The number of a connection, by its slot.
  private var numbers: [Int] = []
  private var liveCount = 0
  private var round: UInt64 = 0
  private var answerCount = 0
  private var failure: String?

  /// How many are on their way at once: a listener's backlog has room for more.
  private static let joiningMax = 512

  init(_ plan: IdlePlan, at address: SocketAddress) throws {
    self.plan = plan
    self.address = address
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  // MARK: Steps

  /// Everyone comes, and waits until it has its table.
  ///
  /// - Returns: How many nanoseconds that took.
  func join(seconds: Double) throws -> UInt64 {
    try wait(seconds, for: "to join") {
      while keys.count < plan.connections, keys.count - liveCount < Self.joiningMax { try connect() }
      return liveCount == plan.connections
    }
  }

  /// Everyone pings, and waits for the answer.
  ///
  /// - Returns: How many nanoseconds that took.
  func giveSign(seconds: Double) throws -> UInt64 {
    round += 1
    answerCount = 0
    for key in keys { send(.ping(Ping(nonce: round, wantsHash: false)), key) }
    return try wait(seconds, for: "to be answered") { answerCount == keys.count }
  }

  /// Reads what comes, and says nothing.
  func rest(seconds: Double) throws {
    try loop.run(self, until: MonotonicClock.now() + UInt64(seconds * 1e9))
    if let failure { throw LoadSession.Failure(description: failure) }
  }

  private func wait(_ seconds: Double, for what: String, until isDone: () throws -> Bool) throws -> UInt64 {
    let start = MonotonicClock.now()
    let end = start + UInt64(seconds * 1e9)
    while try !isDone() {
      if let failure { throw LoadSession.Failure(description: failure) }
      guard MonotonicClock.now() < end else {
        throw LoadSession.Failure(description: "waited \(LoadResult.fixed(seconds, 0)) s for everyone \(what)")
      }
      try loop.turn(self, timeout: 10_000_000)
    }
    return MonotonicClock.now() - start
  }

  private func connect() throws {
    let key = try loop.connect(to: address)
    while numbers.count <= Int(key.slot) { numbers.append(-1) }
    numbers[Int(key.slot)] = keys.count
    keys.append(key)
  }

  // MARK: Hearing

  func connected(_ connection: ConnectionKey) {
    send(.hello(plan.hello(numbers[Int(connection.slot)])), connection)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        receive(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])))
      }
    } catch {
      failure = "what came is no message: \(error)"
    }
    return position
  }

  private func receive(_ message: ServerMessage) {
    switch message {
    case .snapshot(let part): if part.isComplete { liveCount += 1 }
    case .pong(let pong): if pong.nonce == round { answerCount += 1 }
    case .goodbye(let goodbye): failure = failure ?? "\(goodbye.reason.rawValue) \(goodbye.detail)"
    case .welcome, .diff, .outcome, .drag, .seats, .unknown: break
    }
  }

  private func send(_ message: ClientMessage, _ connection: ConnectionKey) {
    message.framed().withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    failure = failure ?? "connection \(numbers[Int(connection.slot)]) closed: \(reason)"
  }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { failure = "cannot connect: \(error)" }
}
