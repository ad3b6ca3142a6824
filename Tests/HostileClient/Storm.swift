import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// Hostile connections to one address of a daemon, one generation after the other, on the loop of the thread that runs it.
final class Storm: OutgoingHandler {
  var counts = StormCounts()
  let loop: EventLoop
  /// Whether the connections go to the address for browsers: they send requests, or become WebSockets.
  let usesHTTP: Bool
  /// By the connection's key.
  var members: [ConnectionKey: StormConnection] = [:]
  var tables: [StormTable]
  var frames: HostileFrames
  private let address: SocketAddress
  private let behaviors: [(element: HostileBehavior, weight: Int)]
  /// The rest of this round.
  private var inputsDue = 0
  private var connectionsDue = 0

  private static let openMax = 48
  private static let inputsPerTurn = 16
  private static let inputsPerConnectionMax = 2_000
  private static let unsentBytesMax = 256 << 10

  init(at address: SocketAddress, usesHTTP: Bool, seed: UInt64) throws {
    (self.address, self.usesHTTP) = (address, usesHTTP)
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: Self.leftoverBytesMax)
    frames = HostileFrames(random: RandomSource(seed: seed))
    behaviors = usesHTTP ? HostileBehavior.overHTTP : HostileBehavior.overStream
    let types = [
      "list?items=30", "grid", "klondike", "kanban?cards=12", "playlist", "list?items=200", "klondike?draw=3", "grid",
    ]
    tables =
      types.enumerated().map { StormTable(name: "hostile-\($0)", type: $1, isHonest: false) }
      + HonestTables.options.tableTypes.enumerated().map {
        StormTable(name: HonestTables.options.tableName($0), type: $1, isHonest: true)
      }
  }

  /// The number of sessions at the storm's tables.
  var sessionCount: UInt64 { tables.reduce(0) { $0 + $1.lastSession.rawValue } }

  // MARK: Rounds

  /// Sends so many frames or requests over so many connections, or a few more, and closes them all.
  ///
  /// - Parameter isCurrent: Called regularly, to learn whether the daemon still runs.
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
    // Inputs that are due when all connections were made need more connections.
    while members.count < Self.openMax, connectionsDue > 0 || inputsDue > 0 {
      let behavior = frames.random.choose(by: behaviors)
      let share = max(1, 2 * inputsDue / max(1, connectionsDue * 6 / 10))
      let inputs = behavior.isLong ? min(share, Self.inputsPerConnectionMax) : 3
      let indices = tables.indices.filter { tables[$0].isHonest == (behavior == .intruder) }
      let key = try loop.connect(to: address)
      members[key] = StormConnection(
        key: key, behavior: behavior, table: frames.random.pick(indices), inputsLeft: 1 + frames.random.below(inputs))
      counts.count(behavior.rawValue)
      connectionsDue = max(0, connectionsDue - 1)
    }
  }

  // MARK: Sending

  func connected(_ key: ConnectionKey) {
    change(key) { member in
      if member.behavior == .immediateClose { close(&member) }
      if member.behavior == .unreadPipeliner { loop.pauseReading(key) }
      if usesHTTP, member.behavior.upgrades { append(HostileFrames.upgrade, key) } else { member.isReady = true }
    }
  }

  func turnEnded(now: UInt64) {
    for key in Array(members.keys) {
      change(key) { if $0.isReady, !$0.isDismissed { advance(&$0) } }
    }
  }

  private func advance(_ member: inout StormConnection) {
    if member.behavior == .slowSender { return drip(&member) }
    for _ in 0..<Self.inputsPerTurn where member.inputsLeft > 0 {
      guard loop.pendingBytes(member.key) < Self.unsentBytesMax, let (bytes, what) = input(of: &member) else { return }
      send(bytes, what, &member)
    }
    guard member.inputsLeft <= 0, !member.behavior.waits else { return }
    // The daemon ends the connections of others, if it is as quick.
    if member.behavior.isLong || frames.random.happens(onceIn: 8) { leave(&member) }
  }

  /// Closes a connection; one at a table with a final goodbye, a resumable one, or none.
  private func leave(_ member: inout StormConnection) {
    guard member.isAtTable, frames.random.happens(onceIn: 4) else { return close(&member) }
    let goodbye = Goodbye(.leaving, isResumable: frames.random.happens(onceIn: 2))
    // A session that nobody can take up would be kept for days.
    if !goodbye.isResumable { member.credential = [] }
    send(frame(of: .goodbye(goodbye)), "goodbye", &member)
    close(&member, afterFlush: !goodbye.isResumable)
  }

  private func close(_ member: inout StormConnection, afterFlush: Bool = false) {
    member.isDismissed = true
    loop.close(member.key, afterFlush: frames.random.happens(onceIn: 2) || afterFlush)
  }

  /// Sends the next byte of a request that never ends.
  private func drip(_ member: inout StormConnection) {
    guard loop.pendingBytes(member.key) == 0 else { return }
    let byte = [HostileFrames.upgrade[member.dripped % 40]]
    if member.dripped == 0 { send(byte, member.behavior.rawValue, &member) } else { append(byte, member.key) }
    member.dripped += 1
  }

  private func send(_ bytes: [UInt8], _ what: String, _ member: inout StormConnection) {
    append(bytes, member.key)
    member.inputsLeft -= 1
    inputsDue = max(0, inputsDue - 1)
    counts.sent(what)
  }

  private func append(_ bytes: [UInt8], _ key: ConnectionKey) { _ = bytes.withUnsafeBytes { loop.append(key, $0) } }

  // MARK: Ends

  func connectFailed(_ key: ConnectionKey, _ error: SystemError) {
    counts.received("CANNOT CONNECT: \(error)")
    end(key)
  }

  func closed(_ key: ConnectionKey, _ reason: CloseReason) { end(key) }

  private func end(_ key: ConnectionKey) {
    guard let member = members.removeValue(forKey: key), !member.credential.isEmpty else { return }
    tables[member.table].credentials.append(member.credential)
  }

  func change(_ key: ConnectionKey, _ body: (inout StormConnection) -> Void) {
    guard var member = members[key] else { return }
    body(&member)
    members[key] = member
  }
}
