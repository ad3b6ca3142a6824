import BaizeDriver
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// Storms of hostile connections to one address of a daemon.
protocol HostileStorm {
  var counts: StormCounts { get }
  /// The number of sessions at the storm's tables.
  var sessionCount: UInt64 { get }

  /// Sends so many frames over so many connections, or a few more, and closes them all.
  ///
  /// - Parameter isCurrent: Called regularly, to learn whether the daemon still runs.
  func run(frames: Int, connections count: Int, while isCurrent: () -> Bool) throws
}

/// Hostile connections, one generation after the other, on the loop of the thread that runs it.
final class Storm: FrameHandler, HostileStorm {
  let connections: ConnectionSet
  private(set) var counts = StormCounts()
  private let address: SocketAddress
  private var loop: EventLoop { connections.loop }
  /// By number.
  private var members: [Int: StormConnection] = [:]
  private var lastNumber = 0
  private var tables: [StormTable]
  private var frames: HostileFrames
  /// The rest of this round.
  private var framesDue = 0
  private var connectionsDue = 0

  private static let openMax = 48
  private static let framesPerTurn = 16
  private static let unsentBytesMax = 256 << 10

  init(at address: SocketAddress, seed: UInt64) throws {
    self.address = address
    connections = try ConnectionSet()
    frames = HostileFrames(random: RandomSource(seed: seed))
    let types = [
      "list?items=30", "grid", "klondike", "kanban?cards=12", "playlist", "list?items=200", "klondike?draw=3", "grid",
    ]
    tables =
      types.enumerated().map { StormTable(name: "hostile-\($0)", type: $1, isHonest: false) }
      + HonestTables.options.tableTypes.enumerated().map {
        StormTable(name: HonestTables.options.tableName($0), type: $1, isHonest: true)
      }
  }

  // MARK: Rounds

  func run(frames: Int, connections count: Int, while isCurrent: () -> Bool) throws {
    framesDue = frames
    connectionsDue = count
    while framesDue > 0 || connectionsDue > 0 {
      guard isCurrent() else { return }
      try openMore()
      try loop.turn(self, timeout: 1_000_000)
    }
    for member in members.values { loop.close(member.key) }
    while !members.isEmpty { try loop.turn(self, timeout: 1_000_000) }
  }

  private func openMore() throws {
    // Frames that are due when all connections were made need more connections.
    while members.count < Self.openMax, connectionsDue > 0 || framesDue > 0 {
      let behavior = anyBehavior()
      let share = max(1, 2 * framesDue / max(1, connectionsDue * 6 / 10))
      let frames = behavior.joins ? 1 + frames.random.below(min(share, 2_000)) : 1 + frames.random.below(3)
      let indices = tables.indices.filter { tables[$0].isHonest == (behavior == .intruder) }
      lastNumber += 1
      members[lastNumber] = StormConnection(
        key: try connections.connect(to: address, as: lastNumber), behavior: behavior,
        table: self.frames.random.pick(indices), frames: frames)
      counts.count(behavior.rawValue)
      connectionsDue = max(0, connectionsDue - 1)
    }
  }

  private func anyBehavior() -> HostileBehavior {
    var roll = frames.random.below(100)
    for behavior in HostileBehavior.allCases {
      roll -= behavior.share
      if roll < 0 { return behavior }
    }
    return .player
  }

  var sessionCount: UInt64 { tables.reduce(0) { $0 + $1.lastSession.rawValue } }

  // MARK: Sending

  private func open(_ connection: inout StormConnection) {
    switch connection.behavior {
    case .player, .thief, .snapshotRequester, .dragger, .nonReader, .repeatedHello, .intruder: sendHello(&connection)
    case .invalidHello: send(.hello(frames.wrongHello(tables)), "wrong hello", &connection)
    case .invalidFirstFrame: send(frames.anything(), "before the hello", &connection)
    case .invalidBytes: sendBytes(frames.invalidBytes(), "invalid bytes", &connection)
    case .partialFrame:
      let frame = ClientMessage.hello(frames.hello(table: "hostile-0", type: "grid")).framed()
      sendBytes(Array(frame.prefix(1 + frames.random.below(frame.count - 1))), "half a frame", &connection)
    case .oversizedFrame:
      sendBytes(
        [0xFF, 0xFF, 0xFF, UInt8(frames.random.below(0x80))] + frames.random.bytes(100), "huge frame", &connection)
    case .silent, .immediateClose: break
    }
    if [.immediateClose, .partialFrame].contains(connection.behavior) {
      loop.close(connection.key, afterFlush: frames.random.happens(onceIn: 2))
    }
  }

  private func sendHello(_ connection: inout StormConnection) {
    let table = tables[connection.table]
    var hello = frames.hello(table: table.name, type: table.type)
    if connection.behavior == .intruder || frames.random.happens(onceIn: 3) { hello.role = .spectator }
    if connection.behavior == .thief,
      let owner = members.values.first(where: { $0.table == connection.table && $0.isAtTable })
    {
      hello.resumeToken = owner.token
    } else if tables[connection.table].tokens.count >= StormTable.sessionsMax {
      hello.resumeToken = tables[connection.table].tokens.removeFirst()
      hello.epoch = Epoch(rawValue: frames.random.happens(onceIn: 2) ? 1 : frames.random.number())
      hello.revision = Revision(rawValue: frames.random.number())
      connection.token = hello.resumeToken
    }
    send(.hello(hello), "hello", &connection)
  }

  private func advance(_ connection: inout StormConnection) {
    let isBlind = connection.behavior == .nonReader || connection.behavior == .invalidFirstFrame
    guard connection.isAtTable || isBlind, !connection.isDismissed else { return }
    for _ in 0..<Self.framesPerTurn where connection.framesLeft > 0 {
      guard loop.pendingBytes(connection.key) < Self.unsentBytesMax else { return }
      let message = connection.behavior == .invalidFirstFrame ? frames.anything() : frames.message(by: connection)
      if case .operation(let operation) = message, operation.sequence == connection.knowledge.lastSequence.next {
        connection.knowledge.lastSequence = operation.sequence
      }
      send(message, Self.name(of: message), &connection)
    }
    if connection.framesLeft <= 0 { leave(&connection) }
  }

  /// Closes a connection, with a final goodbye, a resumable one, or none.
  private func leave(_ connection: inout StormConnection) {
    connection.isDismissed = true
    var isFlushed = frames.random.happens(onceIn: 2)
    if frames.random.happens(onceIn: 4) {
      let goodbye = Goodbye(.leaving, isResumable: frames.random.happens(onceIn: 2))
      if !goodbye.isResumable {
        // A session whose token nobody has would be kept for days.
        connection.token = []
        isFlushed = true
      }
      send(.goodbye(goodbye), "goodbye", &connection)
    }
    loop.close(connection.key, afterFlush: isFlushed)
  }

  private func send(_ message: ClientMessage, _ what: String, _ connection: inout StormConnection) {
    connections.send(message, to: connection.key)
    noteSent(what, &connection)
  }

  private func sendBytes(_ bytes: [UInt8], _ what: String, _ connection: inout StormConnection) {
    _ = bytes.withUnsafeBytes { loop.append(connection.key, $0) }
    noteSent(what, &connection)
  }

  private func noteSent(_ what: String, _ connection: inout StormConnection) {
    connection.framesLeft -= 1
    framesDue = max(0, framesDue - 1)
    counts.sent(what)
  }

  private static func name(of message: ClientMessage) -> String {
    switch message {
    case .hello: "hello"
    case .operation: "operation"
    case .drag: "drag"
    case .ping: "ping"
    case .snapshotRequest: "snapshot request"
    case .goodbye: "goodbye"
    case .presence: "presence"
    case .chat: "chat"
    case .unknown: "unknown"
    }
  }

  // MARK: Receiving

  private func note(_ message: ServerMessage, _ connection: inout StormConnection) {
    switch message {
    case .welcome(let welcome):
      counts.received("welcome")
      tables[connection.table].lastSession = max(tables[connection.table].lastSession, welcome.session)
      connection.isAtTable = true
      connection.session = welcome.session
      connection.knowledge.epoch = welcome.epoch
      connection.knowledge.revision = welcome.revision
      connection.knowledge.lastSequence = welcome.lastSequence
      connection.token = welcome.resumeToken
      if connection.behavior == .nonReader { loop.pauseReading(connection.key) }
    case .snapshot(let part):
      counts.received("part of a snapshot")
      if part.isFirst {
        connection.knowledge.items = []
        connection.itemCount = part.collections.reduce(0) { $0 + Int($1.count) }
      }
      let room = TableLimits.itemsPerOperationMax - connection.knowledge.items.count
      connection.knowledge.items += part.items.prefix(room).map(\.id)
      connection.knowledge.revision = part.revision
    case .diff(let diff):
      counts.received(diff.author == connection.session ? "own diff" : "another's diff")
      connection.knowledge.revision = diff.revision
    case .outcome(let outcome):
      counts.received("\(outcome.verdict) \(outcome.refusal.reason.rawValue)")
      if outcome.verdict == .retry, outcome.sequence <= connection.knowledge.lastSequence {
        connection.knowledge.lastSequence = SequenceNumber(rawValue: outcome.sequence.rawValue - 1)
      }
    case .goodbye(let goodbye):
      counts.received("goodbye \(goodbye.reason.rawValue)")
      connection.isDismissed = true
      // The token's session has ended, or its slot is another's now.
      if goodbye.reason == .tokenInvalid || goodbye.reason == .displaced { connection.token = [] }
    case .pong: counts.received("pong")
    case .drag: counts.received("drag")
    case .seats: counts.received("seats")
    case .presence: counts.received("presence")
    case .chat: counts.received("chat")
    case .countdown: counts.received("countdown")
    case .unknown: counts.received("unknown")
    }
  }

  // MARK: The loop

  func opened(_ number: Int) {
    change(number) { member in
      member.isConnected = true
      open(&member)
    }
  }

  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    do throws(DecodeError) {
      let message = try ServerMessage(decoding: frame)
      change(number) { note(message, &$0) }
    } catch {
      counts.received("UNREADABLE: \(error)")
      throw error
    }
  }

  func turnEnded(now: UInt64) {
    for number in Array(members.keys) {
      change(number) { if $0.isConnected { advance(&$0) } }
    }
  }

  func ended(_ number: Int, _ reason: String) {
    guard let member = members.removeValue(forKey: number) else { return }
    if reason.hasPrefix("cannot connect") { counts.received("CANNOT CONNECT: \(reason)") }
    if !member.token.isEmpty { tables[member.table].tokens.append(member.token) }
  }

  private func change(_ number: Int, _ body: (inout StormConnection) -> Void) {
    guard var member = members[number] else { return }
    body(&member)
    members[number] = member
  }
}
