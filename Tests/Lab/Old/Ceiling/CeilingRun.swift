import BaizeDriver
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import BaizeWorkload

/// Drives the daemon and the relay, or the daemon over two transports, in the same way and at little cost, so that they are
/// compared, and not what is done with their answers.
///
/// The moves are prepared. Of a diff only the header is read, to count it, to find gaps, and to send its author's next move.
/// ``check()`` looks at everything else when the measurement is over.
final class CeilingRun: FrameHandler {
  let connections: ConnectionSet
  private let options: LoadOptions
  /// The diffs that the relay answers with, by player; `nil` for the daemon.
  private let answers: [[UInt8]]?
  @exclusivity(unchecked) private var members: [Member] = []
  /// By number, like `members`.
  @exclusivity(unchecked) private(set) var routes: [Route]
  @exclusivity(unchecked) private var writer = ByteWriter()
  @exclusivity(unchecked) private var isSubmitting = false
  @exclusivity(unchecked) private(set) var deliveries: UInt64 = 0
  @exclusivity(unchecked) private var submitted: UInt64 = 0
  @exclusivity(unchecked) private var gaps = 0
  private var joins: [Join]
  private var random: RandomSource
  private(set) var failure: String?

  private struct Member: BitwiseCopyable {
    let key: ConnectionKey
    var session: UInt64
    var revision: UInt64 = 0
    /// The number of operations that were sent, and how many of them are not answered.
    var sent: UInt64 = 0
    var pending: UInt32 = 0
  }

  /// The messages that a member receives once or twice.
  private struct Join {
    var isLive = false
    var type: TableType?
    var epoch = Epoch(rawValue: 0)
    var snapshot = SnapshotReader()
    /// The state and the daemon's hash of it, after the run.
    var state: TableState?
    var hash: UInt64?
    /// One of its own diffs, as received.
    var diff: [UInt8] = []
  }

  /// The operation whose diff is kept for the relay: one with a revision and a sequence number as long as most.
  private static let keptSequence: UInt64 = 130

  /// - Parameter daemon: For the relay: a run against the daemon, whose moves and diffs are repeated.
  init(_ options: LoadOptions, like daemon: CeilingRun? = nil) throws {
    self.options = options
    random = RandomSource(seed: options.seed)
    routes = daemon?.routes ?? Array(repeating: Route(), count: options.tables * options.players)
    answers = daemon?.joins.prefix(options.players).map(\.diff)
    connections = try ConnectionSet(usesWebSocket: options.usesWebSocket)
    joins = Array(repeating: Join(), count: options.tables * options.players)
    for number in joins.indices {
      let key = try connections.connect(to: options.address, as: number)
      let player = number % options.players
      let session = answers.flatMap { answers in
        answers[player].withUnsafeBytes { DiffHeader(UnsafeRawBufferPointer(rebasing: $0.dropFirst()))?.author }
      }
      members.append(Member(key: key, session: session ?? 0))
    }
  }

  // MARK: Steps

  /// Measures deliveries when everyone has joined and a second has passed, and waits for the last answers.
  ///
  /// - Parameter server: The process of the daemon or the relay.
  func measure(_ server: ProcessUsage) throws -> LoadResult {
    try run(seconds: 20, for: "everyone to join") { try isDone(isEveryoneLive) }
    startSubmitting()
    try run(seconds: options.warmUpSeconds)
    let (start, startDeliveries) = (LoadSession.ClockReading(server), deliveries)
    try run(seconds: options.seconds)
    var result = LoadResult(options: options)
    let end = LoadSession.ClockReading(server)
    result.note(start, end)
    result.add(LoadCounters(deliveries: deliveries - startDeliveries), seconds: Double(end.time - start.time) / 1e9)
    try waitForDeliveries()
    return result
  }

  private var isEveryoneLive: Bool { joins.allSatisfy(\.isLive) }

  private func startSubmitting() {
    isSubmitting = true
    deliveries = 0
    for number in members.indices {
      for _ in 0..<options.window { submit(&members[number], number) }
    }
  }

  /// Waits for the last answers; then every operation must have been delivered once to each member of its table.
  private func waitForDeliveries() throws {
    isSubmitting = false
    let expected = submitted * UInt64(options.players)
    try run(seconds: options.settleSeconds, for: "the last of \(expected) deliveries") {
      try isDone(deliveries == expected)
    }
  }

  /// Compares every member's snapshot with the daemon's hash and with the moves that were made.
  func check() throws {
    for member in members {
      connections.send(.snapshotRequest(why: "comparison after the run"), to: member.key)
      connections.send(.ping(Ping(nonce: 1, wantsHash: true)), to: member.key)
    }
    try run(seconds: options.settleSeconds, for: "the comparison") {
      try isDone(joins.allSatisfy { $0.state != nil && $0.hash != nil })
    }
    if joins.prefix(options.players).contains(where: \.diff.isEmpty) { throw RunFailure("the run was too short") }
    if gaps > 0 { throw RunFailure("\(gaps) revisions were missing or came twice") }
    for number in members.indices {
      var state = joins[number].state
      if state?.viewHash() != joins[number].hash { throw RunFailure("a snapshot differs from the daemon's hash") }
      let collections = routes[number].collections(after: members[number].sent)
      for (item, collection) in collections where state?.collection(of: item) != collection {
        throw RunFailure("item \(item.rawValue) is not where its player has moved it")
      }
    }
  }

  private func isDone(_ condition: Bool) throws -> Bool {
    if let failure { throw RunFailure(failure) }
    return condition
  }

  @inline(__always) private func submit(_ member: inout Member, _ number: Int) {
    member.sent &+= 1
    submitted &+= 1
    writer.removeAll()
    routes[number].write(member.sent, base: member.revision, pending: member.pending, into: &writer)
    member.pending &+= 1
    writer.withUnsafeBytes { connections.append($0, to: member.key) }
  }

  // MARK: Receiving

  /// Reads all frames of a read itself: the member is looked up once for them.
  func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let number = connections.number(of: connection) else { return bytes.count }
    var position = start
    var member = members[number]
    do throws(DecodeError) {
      while let (range, end) = try connections.next(in: bytes, from: position) {
        position = end
        guard let range else { continue }
        let frame = UnsafeRawBufferPointer(rebasing: bytes[range])
        if let diff = DiffHeader(frame) {
          receive(diff, frame, &member, number)
        } else {
          members[number] = member
          try receive(frame, number)
          member = members[number]
        }
      }
    } catch {
      ended(number, "unreadable: \(error)")
    }
    members[number] = member
    return position
  }

  @inline(__always) private func receive(
    _ diff: DiffHeader, _ frame: UnsafeRawBufferPointer, _ member: inout Member, _ number: Int
  ) {
    deliveries &+= 1
    if diff.revision != member.revision &+ 1 { gaps &+= 1 }
    member.revision = diff.revision
    guard diff.author == member.session else { return }
    if diff.sequence == Self.keptSequence { joins[number].diff = [UInt8(frame.count)] + frame }
    guard isSubmitting else {
      // The relay's answer to the first frame.
      joins[number].isLive = true
      return
    }
    member.pending &-= 1
    submit(&member, number)
  }

  /// Receives a frame that is no diff: only before the moves and after them.
  func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    switch try ServerMessage(decoding: frame) {
    case .welcome(let welcome):
      members[number].session = welcome.session.rawValue
      joins[number].epoch = welcome.epoch
      joins[number].type = try? TableTypeDocument(parsing: welcome.tableType).makeTableType(options: welcome.options)
    case .snapshot(let part): receive(part, number)
    case .pong(let pong): joins[number].hash = pong.viewHash
    case .outcome(let outcome): failure = "an operation was not accepted: \(outcome)"
    case .goodbye(let goodbye): failure = "turned away: \(goodbye)"
    case .diff, .drag, .seats, .presence, .chat, .countdown, .unknown: break
    }
  }

  private func receive(_ part: SnapshotPart, _ number: Int) {
    let type = joins[number].type
    do {
      guard let state = try joins[number].snapshot.add(part, of: type) else { return }
      members[number].revision = part.revision.rawValue
      if joins[number].isLive { joins[number].state = state }
      if !joins[number].isLive {
        routes[number] = Route(
          of: number % options.players, among: options.players, at: state, joins[number].epoch, &random)
      }
      joins[number].isLive = true
    } catch {
      failure = "\(error)"
    }
  }

  // MARK: Connections

  func opened(_ number: Int) {
    let key = members[number].key
    guard let answers else {
      let name = options.tableName(number / options.players)
      return connections.send(.hello(Hello(table: name, tableType: options.tableType, name: "load")), to: key)
    }
    writer.removeAll()
    writer.delimited { writer in
      let table = number / options.players
      let bytes = [UInt8(table & 0xFF), UInt8(table >> 8)] + answers[number % options.players]
      bytes.withUnsafeBytes { writer.append($0) }
    }
    writer.withUnsafeBytes { connections.append($0, to: key) }
  }

  func ended(_ number: Int, _ reason: String) { failure = failure ?? reason }
}
