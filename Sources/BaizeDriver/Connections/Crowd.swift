package import BaizeTable
package import BaizeTransport
package import BaizeWire

/// Many connections that join tables, follow them without keeping a copy, and count the received messages.
package final class Crowd: FrameHandler {
  package let connections: ConnectionSet
  private var members: [Member]
  private let hello: (Int) -> Hello?
  package private(set) var counts = Counts()
  package private(set) var failure: String?
  /// The items of the last snapshot, if they are to be kept.
  private var items: [Item]?
  private var round: UInt64 = 0

  private struct Member {
    var key: ConnectionKey?
    /// The session data of the last welcome; empty before the first.
    var token: [UInt8] = []
    var epoch = Epoch(rawValue: 0)
    var revision = Revision.zero
    /// The revision that it waits for, and whether it has reached it.
    var target = Revision.zero
    var isLevel = false
  }

  /// The counts since everyone connected last.
  package struct Counts {
    package fileprivate(set) var bytes = 0
    package fileprivate(set) var welcomes = 0
    package fileprivate(set) var snapshots = 0
    /// The members that have reached the revision they wait for.
    package fileprivate(set) var level = 0
    package fileprivate(set) var pongs = 0
    /// The time of the last welcome, in monotonic nanoseconds.
    package fileprivate(set) var lastWelcomeAt: UInt64 = 0
  }

  /// - Parameters:
  ///   - usesWebSocket: Whether the members connect by WebSocket.
  ///   - hello: The hello of each member, without session data; `nil` for a member that sends nothing.
  package init(count: Int, usesWebSocket: Bool = false, hello: @escaping (Int) -> Hello?) throws {
    connections = try ConnectionSet(usesWebSocket: usesWebSocket)
    members = Array(repeating: Member(), count: count)
    self.hello = hello
  }

  // MARK: Steps

  /// Connects everyone at once.
  package func connect(to address: SocketAddress) throws {
    for number in members.indices { try connect(number, to: address) }
  }

  private func connect(_ number: Int, to address: SocketAddress) throws {
    members[number].key = try connections.connect(to: address, as: number)
    members[number].isLevel = false
  }

  /// Connects everyone, and waits until each has its table at a revision.
  ///
  /// - Parameters:
  ///   - connectingMax: The maximum number of members that connect at once.
  ///   - target: The revision to reach, by member.
  /// - Returns: The nanoseconds from the first attempt until the last member had caught up.
  @discardableResult
  package func join(
    _ address: SocketAddress, connectingMax: Int = .max, seconds: Double, target: (Int) -> Revision = { _ in .zero }
  ) throws -> UInt64 {
    counts = Counts()
    for number in members.indices { members[number].target = target(number) }
    var next = 0
    return try check(seconds: seconds, for: "everyone to join") {
      while next < members.count, next - counts.level < connectingMax {
        try connect(next, to: address)
        next += 1
      }
      return counts.level == members.count
    }
  }

  /// Sends a ping from everyone, and waits for the answers.
  ///
  /// - Returns: The nanoseconds that it took.
  package func ping(seconds: Double) throws -> UInt64 {
    round += 1
    counts.pongs = 0
    for case let key? in members.map(\.key) { connections.send(.ping(Ping(nonce: round, wantsHash: false)), to: key) }
    return try check(seconds: seconds, for: "everyone to be answered") { counts.pongs == members.count }
  }

  /// Closes every connection without a goodbye.
  package func cut() throws { try close(afterFlush: false) { _ in } }

  /// Ends every session with a goodbye.
  package func leave() throws { try close(afterFlush: true) { connections.send(.goodbye(Goodbye(.leaving)), to: $0) } }

  private func close(afterFlush: Bool, _ goodbye: (ConnectionKey) -> Void) throws {
    for number in members.indices {
      guard let key = members[number].key.take() else { continue }
      goodbye(key)
      connections.drop(key, afterFlush: afterFlush)
    }
    try run(seconds: 20, for: "the connections to close") { connections.loop.connectionCount == 0 }
  }

  /// - Throws: Also the first failure of a member so far.
  private func check(seconds: Double, for what: String, _ isDone: () throws -> Bool) throws -> UInt64 {
    try run(seconds: seconds, for: "\(what) (\(counts.level) of \(members.count) have caught up)") {
      if let failure { throw RunFailure(failure) }
      return try isDone()
    }
  }

  // MARK: Receiving

  package func opened(_ number: Int) {
    guard let key = members[number].key, var hello = hello(number) else { return }
    hello.resumeToken = members[number].token
    hello.epoch = members[number].epoch
    hello.revision = members[number].revision
    connections.send(.hello(hello), to: key)
  }

  package func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    counts.bytes += frame.count + Self.lengthBytes(frame.count)
    if let diff = DiffHeader(frame) {
      if diff.revision != members[number].revision.rawValue + 1 {
        failure = "revision \(diff.revision) came after \(members[number].revision.rawValue)"
      }
      return reach(Revision(rawValue: diff.revision), number)
    }
    switch try ServerMessage(decoding: frame) {
    case .welcome(let welcome):
      counts.welcomes += 1
      counts.lastWelcomeAt = MonotonicClock.now()
      members[number].token = welcome.resumeToken
      members[number].epoch = welcome.epoch
      if welcome.tableType.isEmpty { reach(members[number].revision, number) }
    case .snapshot(let part):
      if part.isFirst {
        counts.snapshots += 1
        items?.removeAll()
      }
      items?.append(contentsOf: part.items)
      if part.isComplete { reach(part.revision, number) }
    case .pong(let pong): if pong.nonce == round { counts.pongs += 1 }
    case .goodbye(let goodbye): failure = failure ?? "\(goodbye.reason.rawValue) \(goodbye.detail)".printable()
    case .diff, .outcome, .drag, .seats, .presence, .chat, .countdown, .unknown: break
    }
  }

  /// Returns the bytes of a frame's length.
  private static func lengthBytes(_ count: Int) -> Int { max(1, (Int.bitWidth - count.leadingZeroBitCount + 6) / 7) }

  private func reach(_ revision: Revision, _ number: Int) {
    members[number].revision = revision
    guard revision >= members[number].target, !members[number].isLevel else { return }
    members[number].isLevel = true
    counts.level += 1
  }

  package func ended(_ number: Int, _ reason: String) {
    members[number].key = nil
    failure = failure ?? reason
  }

  // MARK: A single reader

  /// Joins a table as a new spectator, and reads all of it.
  ///
  /// - Throws: ``RunFailure`` if it does not arrive in time.
  package static func readTable(
    _ name: String, at address: SocketAddress, seconds: Double
  ) throws -> (items: [Item], revision: Revision) {
    let reader = try Crowd(count: 1) { _ in Hello(table: name, name: "reader", role: .spectator) }
    reader.items = []
    do {
      try reader.join(address, seconds: seconds)
    } catch {
      throw RunFailure("table \(name): \(error)")
    }
    return (reader.items ?? [], reader.members[0].revision)
  }
}
