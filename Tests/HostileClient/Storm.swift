import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// Hostile connections, one generation after the other, on the loop of the thread that runs it.
final class Storm: OutgoingHandler {
  private(set) var tally = StormTally()
  private let address: SocketAddress
  private let loop: EventLoop
  private var connections: [UInt32: StormConnection] = [:]
  private var tables: [StormTable]
  private var nonsense: Nonsense
  private var writer = FrameWriter()
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  /// What this round has still to do.
  private var framesDue = 0
  private var connectionsDue = 0

  private static let openMax = 48
  private static let framesPerTurn = 16
  private static let unsentBytesMax = 256 << 10

  init(at address: SocketAddress, seed: UInt64) throws {
    self.address = address
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    nonsense = Nonsense(random: RandomSource(seed: seed))
    let types = [
      "list?items=30", "grid", "klondike", "kanban?cards=12", "playlist", "list?items=200", "klondike?draw=3", "grid",
    ]
    tables =
      types.enumerated().map { StormTable(name: "hostile-\($0)", type: $1, isHonest: false) }
      + HonestTables.types.enumerated().map { StormTable(name: HonestTables.name($0), type: $1, isHonest: true) }
  }

  // MARK: Rounds

  /// Sends so many frames over so many connections, or a few more, and closes them all.
  ///
  /// - Parameter isCurrent: Asked now and then whether there is still a daemon.
  func rage(frames: Int, connections count: Int, while isCurrent: () -> Bool) throws {
    framesDue = frames
    connectionsDue = count
    while framesDue > 0 || connectionsDue > 0 {
      guard isCurrent() else { return }
      try openMore()
      try loop.turn(self, timeout: 1_000_000)
    }
    for connection in connections.values { loop.close(connection.key) }
    while !connections.isEmpty { try loop.turn(self, timeout: 1_000_000) }
  }

  private func openMore() throws {
    // Frames that are due when all connections were made need more connections.
    while connections.count < Self.openMax, connectionsDue > 0 || framesDue > 0 {
      let manner = anyManner()
      let share = max(1, 2 * framesDue / max(1, connectionsDue * 6 / 10))
      let frames = manner.joins ? 1 + nonsense.below(min(share, 2_000)) : 1 + nonsense.below(3)
      let places = tables.indices.filter { tables[$0].isHonest == (manner == .intruder) }
      let key = try loop.connect(to: address)
      connections[key.slot] = StormConnection(key: key, manner: manner, table: nonsense.pick(places), frames: frames)
      tally.count(manner)
      connectionsDue = max(0, connectionsDue - 1)
    }
  }

  private func anyManner() -> Manner {
    var place = nonsense.below(100)
    for manner in Manner.allCases {
      place -= manner.share
      if place < 0 { return manner }
    }
    return .player
  }

  /// How many sessions were made at the tables.
  var sessionCount: UInt64 { tables.reduce(0) { $0 + $1.lastSession.rawValue } }

  // MARK: Saying

  private func open(_ connection: inout StormConnection) {
    switch connection.manner {
    case .player, .thief, .glutton, .dragger, .deaf, .babbler, .intruder: greet(&connection)
    case .stranger: send(.hello(nonsense.wrongHello(tables)), "wrong hello", &connection)
    case .rude: send(nonsense.anything(), "before the hello", &connection)
    case .noise: sendBytes(nonsense.noise(), "noise", &connection)
    case .half:
      let frame = ClientMessage.hello(nonsense.hello(table: "hostile-0", type: "grid")).framed()
      sendBytes(Array(frame.prefix(1 + nonsense.below(frame.count - 1))), "half a frame", &connection)
    case .giant:
      sendBytes([0xFF, 0xFF, 0xFF, UInt8(nonsense.below(0x80))] + nonsense.bytes(100), "huge frame", &connection)
    case .mute, .slam: break
    }
    switch connection.manner {
    case .slam, .half: loop.close(connection.key, afterFlush: nonsense.happens(onceIn: 2))
    case .player, .thief, .glutton, .dragger, .deaf, .babbler, .intruder, .stranger, .rude, .noise, .giant, .mute: break
    }
  }

  private func greet(_ connection: inout StormConnection) {
    let table = tables[connection.table]
    var hello = nonsense.hello(table: table.name, type: table.type)
    if connection.manner == .intruder || nonsense.happens(onceIn: 3) { hello.role = .spectator }
    if connection.manner == .thief,
      let owner = connections.values.first(where: { $0.table == connection.table && $0.isAtTable })
    {
      hello.resumeToken = owner.token
    } else if tables[connection.table].tokens.count >= StormTable.sessionsMax {
      hello.resumeToken = tables[connection.table].tokens.removeFirst()
      hello.epoch = Epoch(rawValue: nonsense.happens(onceIn: 2) ? 1 : nonsense.number())
      hello.revision = Revision(rawValue: nonsense.number())
      connection.token = hello.resumeToken
    }
    send(.hello(hello), "hello", &connection)
  }

  private func goOn(_ connection: inout StormConnection) {
    let isBlind = connection.manner == .deaf || connection.manner == .rude
    guard connection.isAtTable || isBlind, !connection.isDismissed else { return }
    for _ in 0..<Self.framesPerTurn where connection.framesLeft > 0 {
      guard loop.pendingBytes(connection.key) < Self.unsentBytesMax else { return }
      let message = connection.manner == .rude ? nonsense.anything() : nonsense.message(by: connection)
      if case .operation(let operation) = message, operation.sequence == connection.nextSequence {
        connection.nextSequence = operation.sequence.next
      }
      send(message, Self.name(of: message), &connection)
    }
    if connection.framesLeft <= 0 { leave(&connection) }
  }

  /// Some say goodbye, for good or for a while, and some just go.
  private func leave(_ connection: inout StormConnection) {
    connection.isDismissed = true
    var isHeard = nonsense.happens(onceIn: 2)
    if nonsense.happens(onceIn: 4) {
      let goodbye = Goodbye(.leaving, isResumable: nonsense.happens(onceIn: 2))
      if !goodbye.isResumable {
        // A session of which nobody has the token would be there for days.
        connection.token = []
        isHeard = true
      }
      send(.goodbye(goodbye), "goodbye", &connection)
    }
    loop.close(connection.key, afterFlush: isHeard)
  }

  private func send(_ message: ClientMessage, _ what: String, _ connection: inout StormConnection) {
    writer.removeAll()
    writer.frame(message)
    _ = writer.withUnsafeBytes { loop.append(connection.key, $0) }
    noteSent(what, &connection)
  }

  private func sendBytes(_ bytes: [UInt8], _ what: String, _ connection: inout StormConnection) {
    _ = bytes.withUnsafeBytes { loop.append(connection.key, $0) }
    noteSent(what, &connection)
  }

  private func noteSent(_ what: String, _ connection: inout StormConnection) {
    connection.framesLeft -= 1
    framesDue = max(0, framesDue - 1)
    tally.sent(what)
  }

  private static func name(of message: ClientMessage) -> String {
    switch message {
    case .hello: "hello"
    case .operation: "operation"
    case .drag: "drag"
    case .ping: "ping"
    case .snapshotRequest: "snapshot request"
    case .goodbye: "goodbye"
    case .unknown: "unknown"
    }
  }

  // MARK: Hearing

  private func hear(_ message: ServerMessage, _ connection: inout StormConnection) {
    switch message {
    case .welcome(let welcome):
      tally.heard("welcome")
      tables[connection.table].lastSession = max(tables[connection.table].lastSession, welcome.session)
      connection.isAtTable = true
      (connection.session, connection.epoch, connection.revision) = (welcome.session, welcome.epoch, welcome.revision)
      connection.nextSequence = welcome.lastSequence.next
      connection.token = welcome.resumeToken
      if connection.manner == .deaf { loop.pauseReading(connection.key) }
    case .snapshot(let part):
      tally.heard("part of a snapshot")
      if part.isFirst {
        connection.items = []
        connection.itemCount = part.collections.reduce(0) { $0 + Int($1.count) }
      }
      connection.items += part.items.prefix(TableLimits.itemsPerOperationMax - connection.items.count).map(\.id)
      connection.revision = part.revision
    case .diff(let diff):
      tally.heard(diff.author == connection.session ? "own diff" : "another's diff")
      connection.revision = diff.revision
    case .outcome(let outcome):
      tally.heard("\(outcome.verdict) \(outcome.refusal.reason.rawValue)")
      if outcome.verdict == .retry { connection.nextSequence = min(connection.nextSequence, outcome.sequence) }
    case .goodbye(let goodbye):
      tally.heard("goodbye \(goodbye.reason.rawValue)")
      connection.isDismissed = true
      // What the token opened is gone, or is another's now.
      if goodbye.reason == .tokenInvalid || goodbye.reason == .displaced { connection.token = [] }
    case .pong: tally.heard("pong")
    case .drag: tally.heard("drag")
    case .seats: tally.heard("seats")
    case .unknown: tally.heard("unknown")
    }
  }

  // MARK: The loop

  func connected(_ key: ConnectionKey) {
    guard var connection = connections[key.slot] else { return }
    connection.isConnected = true
    open(&connection)
    connections[key.slot] = connection
  }

  func received(_ key: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard var connection = connections[key.slot] else { return bytes.count }
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        hear(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])), &connection)
        position = range.upperBound
      }
    } catch {
      tally.heard("UNREADABLE: \(error)")
      loop.close(key)
      return bytes.count
    }
    connections[key.slot] = connection
    return position
  }

  func turnEnded(now: UInt64) {
    for slot in Array(connections.keys) {
      guard var connection = connections[slot], connection.isConnected else { continue }
      goOn(&connection)
      connections[slot] = connection
    }
  }

  func connectFailed(_ key: ConnectionKey, _ error: SystemError) {
    tally.heard("CANNOT CONNECT: \(error)")
    connections[key.slot] = nil
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) {
    guard let connection = connections.removeValue(forKey: key.slot) else { return }
    if !connection.token.isEmpty { tables[connection.table].tokens.append(connection.token) }
  }
}
