import BaizeHTTP
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// Hostile connections to the address for browsers, one generation after the other, on the loop of the thread that runs it.
final class WebStorm: OutgoingHandler, HostileStorm {
  private(set) var counts = StormCounts()
  private let address: SocketAddress
  private let loop: EventLoop
  private var inputs: WebInputs
  private var members: [ConnectionKey: WebConnection] = [:]
  /// The number of sessions that the storm's tables have given, by table.
  private var lastSessions: [UInt64]
  private var inputsDue = 0
  private var connectionsDue = 0

  private static let types = ["list?items=30", "klondike", "kanban?cards=12", "grid"]
  private static let openMax = 48
  private static let inputsPerTurn = 16
  private static let inputsPerConnectionMax = 1_000
  private static let unsentBytesMax = 256 << 10
  private static let frames = WebSocketFrameReader(isServer: false, payloadBytesMax: WireLimits.serverFrameBytesMax)

  init(at address: SocketAddress, seed: UInt64) throws {
    self.address = address
    loop = try EventLoop(
      waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + WebSocketFrame.headerBytesMax)
    inputs = WebInputs(messages: HostileFrames(random: RandomSource(seed: seed)))
    lastSessions = Self.types.map { _ in 0 }
  }

  var sessionCount: UInt64 { lastSessions.reduce(0, +) }

  // MARK: Rounds

  func run(frames: Int, connections count: Int, while isCurrent: () -> Bool) throws {
    inputsDue = frames
    connectionsDue = count
    while inputsDue > 0 || connectionsDue > 0 {
      guard isCurrent() else { return }
      try openMore()
      try loop.turn(self, timeout: 1_000_000)
    }
    for key in members.keys { loop.close(key) }
    while !members.isEmpty { try loop.turn(self, timeout: 1_000_000) }
  }

  private func openMore() throws {
    while members.count < Self.openMax, inputsDue > 0 || connectionsDue > 0 {
      let behavior = anyBehavior()
      let inputsLeft = 1 + inputs.messages.random.below(behavior.isLong ? Self.inputsPerConnectionMax : 3)
      members[try loop.connect(to: address)] = WebConnection(
        behavior: behavior, table: inputs.messages.random.below(Self.types.count), inputsLeft: inputsLeft)
      counts.count(behavior.rawValue)
      connectionsDue = max(0, connectionsDue - 1)
    }
  }

  private func anyBehavior() -> WebBehavior {
    var roll = inputs.messages.random.below(100)
    for behavior in WebBehavior.allCases {
      roll -= behavior.share
      if roll < 0 { return behavior }
    }
    return .player
  }

  // MARK: Sending

  func connected(_ key: ConnectionKey) {
    guard let member = members[key] else { return }
    members[key]?.isConnected = true
    if member.behavior == .nonReader { loop.pauseReading(key) }
    if member.behavior.upgrades { send(WebInputs.upgrade, key) }
  }

  func turnEnded(now: UInt64) {
    for key in Array(members.keys) {
      guard var member = members[key], member.isConnected, !member.isLeaving,
        member.isUpgraded || !member.behavior.upgrades
      else { continue }
      advance(&member, key)
      members[key] = member
    }
  }

  private func advance(_ member: inout WebConnection, _ key: ConnectionKey) {
    if member.behavior == .slowSender { return drip(&member, key) }
    for _ in 0..<Self.inputsPerTurn where member.inputsLeft > 0 {
      guard loop.pendingBytes(key) < Self.unsentBytesMax else { return }
      guard let bytes = input(&member) else { return }
      send(bytes, key)
      note(&member)
    }
    guard member.inputsLeft == 0 else { return }
    // Some wait for the daemon to end the connection.
    if member.behavior.isLong || member.behavior == .partialRequest || inputs.messages.random.happens(onceIn: 8) {
      loop.close(key, afterFlush: inputs.messages.random.happens(onceIn: 2))
      member.isLeaving = true
    }
  }

  /// The next bytes; `nil` if it waits for the daemon.
  private func input(_ member: inout WebConnection) -> [UInt8]? {
    switch member.behavior {
    case .brokenRequest: return inputs.brokenRequest()
    case .invalidBytes: return inputs.messages.random.bytes(1 + inputs.messages.random.below(2_000))
    case .headerFlood: return inputs.headerFlood()
    case .partialRequest: return Array(inputs.request().dropLast(4))
    case .pipeliner, .nonReader: return inputs.request()
    case .brokenUpgrade: return inputs.brokenUpgrade()
    case .brokenFrames: return inputs.brokenFrame()
    case .frameFlood:
      defer { member.hasBegun = true }
      return inputs.controlFrame(isFirst: !member.hasBegun)
    case .player:
      if !member.hasBegun {
        member.hasBegun = true
        let name = "web-\(member.table)"
        return inputs.frames(of: .hello(inputs.messages.hello(table: name, type: Self.types[member.table])))
      }
      guard member.peer.isAtTable else { return nil }
      let message = inputs.messages.message(by: member.peer)
      if case .operation(let operation) = message, operation.sequence == member.peer.knowledge.lastSequence.next {
        member.peer.knowledge.lastSequence = operation.sequence
      }
      return inputs.frames(of: message)
    case .slowSender: return nil
    }
  }

  /// Sends the next byte of a request that never ends.
  private func drip(_ member: inout WebConnection, _ key: ConnectionKey) {
    if !member.hasBegun {
      member.hasBegun = true
      note(&member)
    }
    guard loop.pendingBytes(key) == 0 else { return }
    send([WebInputs.upgrade[member.dripped % 40]], key)
    member.dripped += 1
  }

  private func send(_ bytes: [UInt8], _ key: ConnectionKey) { _ = bytes.withUnsafeBytes { loop.append(key, $0) } }

  private func note(_ member: inout WebConnection) {
    member.inputsLeft -= 1
    inputsDue = max(0, inputsDue - 1)
    counts.sent(member.behavior.rawValue)
  }

  // MARK: Receiving

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard var member = members[key] else { return bytes.count }
    defer { members[key] = member }
    var position = 0
    if !member.isUpgraded {
      counts.received("HTTP \(String(decoding: bytes.prefix(12).dropFirst(9), as: UTF8.self))")
      guard member.behavior.upgrades, bytes.starts(with: Array("HTTP/1.1 101".utf8)) else { return bytes.count }
      guard let end = Array(bytes).firstRange(of: Array("\r\n\r\n".utf8)) else { return 0 }
      member.isUpgraded = true
      position = end.upperBound
    }
    do {
      while let frame = try Self.frames.next(in: bytes, from: position) {
        position = frame.payload.upperBound
        if frame.opcode == .binary {
          receive(try ServerMessage(decoding: frame.unmasked(bytes)), &member)
        } else {
          counts.received("frame \(frame.opcode)")
        }
      }
    } catch {
      counts.received("UNREADABLE: \(error)")
      return bytes.count
    }
    return position
  }

  private func receive(_ message: ServerMessage, _ member: inout WebConnection) {
    switch message {
    case .welcome(let welcome):
      lastSessions[member.table] = max(lastSessions[member.table], welcome.session.rawValue)
      member.peer.isAtTable = true
      member.peer.knowledge.epoch = welcome.epoch
      member.peer.knowledge.revision = welcome.revision
      member.peer.knowledge.lastSequence = welcome.lastSequence
      counts.received("welcome")
    case .snapshot(let part):
      if part.isFirst { member.peer.itemCount = part.collections.reduce(0) { $0 + Int($1.count) } }
      member.peer.knowledge.items = Array(part.items.prefix(TableLimits.itemsPerOperationMax).map(\.id))
      member.peer.knowledge.revision = part.revision
    case .diff(let diff):
      member.peer.knowledge.revision = diff.revision
      counts.received("diff")
    case .outcome(let outcome):
      counts.received("\(outcome.verdict) \(outcome.refusal.reason.rawValue)")
      if outcome.verdict == .retry, outcome.sequence <= member.peer.knowledge.lastSequence {
        member.peer.knowledge.lastSequence = SequenceNumber(rawValue: outcome.sequence.rawValue - 1)
      }
    case .goodbye(let goodbye): counts.received("goodbye \(goodbye.reason.rawValue)")
    case .pong, .drag, .seats, .presence, .chat, .countdown, .unknown: counts.received("other messages")
    }
  }

  func connectFailed(_ key: ConnectionKey, _ error: SystemError) {
    counts.received("CANNOT CONNECT: \(error)")
    members[key] = nil
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) { members[key] = nil }
}

/// One hostile connection to the address for browsers.
struct WebConnection {
  let behavior: WebBehavior
  /// The index of the storm's table.
  let table: Int
  /// The number of inputs left to send.
  var inputsLeft: Int
  var isConnected = false
  var isUpgraded = false
  /// Whether something was sent that comes first.
  var hasBegun = false
  var isLeaving = false
  /// The number of single bytes that were sent.
  var dripped = 0
  /// Its knowledge of a table.
  var peer = StormConnection(key: .init(slot: 0, generation: 1), behavior: .player, table: 0, frames: 0)

  init(behavior: WebBehavior, table: Int, inputsLeft: Int) {
    (self.behavior, self.table, self.inputsLeft) = (behavior, table, inputsLeft)
  }
}
