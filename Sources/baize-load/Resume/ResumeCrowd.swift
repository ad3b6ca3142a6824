import BaizeTable
import BaizeTransport
import BaizeWire

/// Many spectators who keep no copy of their table, only what it takes to come back to it, and count what they are sent.
final class ResumeCrowd: OutgoingHandler {
  let loop: EventLoop
  private let address: SocketAddress
  private let tables: [String]
  private var members: [Member]
  /// Whose a connection is, by its slot.
  private var owners: [Int] = []
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private(set) var failure: String?
  /// Those that have come to the revision they wait for, and those of them that took a snapshot on the way.
  private(set) var levelCount = 0
  private(set) var snapshotCount = 0
  private(set) var bytes = 0
  /// When the last one was level.
  private(set) var levelAt: UInt64 = 0

  private struct Member {
    let table: Int
    var key: ConnectionKey?
    /// From the last welcome; empty for someone new.
    var token: [UInt8] = []
    var epoch = Epoch(rawValue: 0)
    var revision = Revision.zero
    var isLevel = false
    /// The revision that it waits for.
    var target = Revision.zero
  }

  /// - Parameter tables: Where the members are, in turn.
  init(count: Int, tables: [String], at address: SocketAddress) throws {
    self.address = address
    self.tables = tables
    members = (0..<count).map { Member(table: $0 % tables.count) }
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
  }

  // MARK: Steps

  /// Everyone comes at once, and waits until it has its table's revision.
  ///
  /// - Returns: Nanoseconds from the first attempt until the last was level.
  func comeLevel(with revisions: [Revision], seconds: Double) throws -> UInt64 {
    (levelCount, snapshotCount, bytes, levelAt) = (0, 0, 0, 0)
    let start = MonotonicClock.now()
    for place in members.indices { try connect(place, until: revisions[members[place].table]) }
    let end = start + UInt64(seconds * 1e9)
    while levelCount < members.count {
      if let failure { throw LoadSession.Failure(description: "a client: \(failure)") }
      guard MonotonicClock.now() < end else {
        throw LoadSession.Failure(
          description: "\(levelCount) of \(members.count) clients were level after \(LoadResult.fixed(seconds, 0)) s")
      }
      try loop.turn(self, timeout: 100_000_000)
    }
    return levelAt - start
  }

  private func connect(_ place: Int, until target: Revision) throws {
    let key = try loop.connect(to: address)
    while owners.count <= Int(key.slot) { owners.append(-1) }
    owners[Int(key.slot)] = place
    members[place].key = key
    members[place].isLevel = false
    members[place].target = target
  }

  /// Every connection ends without a word.
  func cut() throws {
    for place in members.indices {
      if let key = members[place].key { loop.close(key) }
      members[place].key = nil
    }
    try settle()
  }

  /// Everyone leaves for good.
  func leave() throws {
    for place in members.indices {
      guard let key = members[place].key else { continue }
      send(.goodbye(Goodbye(.leaving)), key)
      loop.close(key, afterFlush: true)
      members[place].key = nil
    }
    try settle()
  }

  private func settle() throws {
    let end = MonotonicClock.now() + 10_000_000_000
    while loop.connectionCount > 0, MonotonicClock.now() < end { try loop.turn(self, timeout: 10_000_000) }
  }

  // MARK: Hearing

  func connected(_ connection: ConnectionKey) {
    guard let place = owner(of: connection) else { return }
    let member = members[place]
    send(
      .hello(
        Hello(
          table: tables[member.table], name: "crowd", role: .spectator, resumeToken: member.token, epoch: member.epoch,
          revision: member.revision)), connection)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let place = owner(of: connection) else { return bytes.count }
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        receive(UnsafeRawBufferPointer(rebasing: bytes[range]), place)
      }
    } catch {
      failure = "what came is no frame: \(error)"
    }
    self.bytes += position
    return position
  }

  private func receive(_ frame: UnsafeRawBufferPointer, _ place: Int) {
    if case .diff(let revision, _, _) = FrameGlance(frame) {
      if revision != members[place].revision.rawValue + 1 {
        failure = "revision \(revision) came after \(members[place].revision.rawValue)"
      }
      return reach(Revision(rawValue: revision), place)
    }
    do throws(DecodeError) {
      switch try ServerMessage(decoding: frame) {
      case .welcome(let welcome):
        members[place].token = welcome.resumeToken
        members[place].epoch = welcome.epoch
        if welcome.tableType.isEmpty { reach(members[place].revision, place) }
      case .snapshot(let part):
        if part.isFirst { snapshotCount += 1 }
        if part.isComplete { reach(part.revision, place) }
      case .goodbye(let goodbye): failure = "\(goodbye.reason.rawValue) \(goodbye.detail)"
      case .diff, .outcome, .drag, .pong, .seats, .unknown: break
      }
    } catch {
      failure = "what came is no message: \(error)"
    }
  }

  private func reach(_ revision: Revision, _ place: Int) {
    members[place].revision = revision
    guard revision >= members[place].target, !members[place].isLevel else { return }
    members[place].isLevel = true
    levelCount += 1
    if levelCount == members.count { levelAt = MonotonicClock.now() }
  }

  private func owner(of connection: ConnectionKey) -> Int? {
    let place = owners[Int(connection.slot)]
    return members[place].key == connection ? place : nil
  }

  private func send(_ message: ClientMessage, _ connection: ConnectionKey) {
    message.framed().withUnsafeBytes { _ = loop.append(connection, $0) }
  }

  func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    if owner(of: connection) != nil { failure = failure ?? "connection closed: \(reason)" }
  }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { failure = "cannot connect: \(error)" }
}
