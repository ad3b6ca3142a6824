import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire

/// All connections and tables of a run, and what is made of what they hear.
///
/// So that the harness is not what is measured, one connection a table keeps a live replica, from which all the table's
/// players choose what they do; the others look at no more of a diff than whose it is and whether it follows the last.
/// After the run each of them takes a snapshot, and every copy's hash is compared with the daemon's.
struct LoadState: ~Copyable {
  let options: LoadOptions
  let loop: EventLoop
  private(set) var connections: [LoadConnection] = []
  private(set) var counters = LoadCounters()
  var faults = LoadFaults()
  /// Operations and their diffs as they were on the wire, per session of the first table: for the relay.
  var recording: Recording?
  var tables: [LoadTable] = []
  /// The places of those who play.
  private(set) var players: [Int] = []
  /// By the transport's slot.
  private var places: [Int] = []
  private var random: RandomSource
  private var strategy = RandomStrategy()
  private var writer = FrameWriter()
  private let reader = FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax)
  private var types: [String: TableType] = [:]
  private var isSubmitting = false
  /// Set while operations come at a rate.
  var pace: Pace?
  private(set) var liveCount = 0
  var now: UInt64 = 0

  init(_ options: LoadOptions, _ loop: EventLoop) {
    self.options = options
    self.loop = loop
    random = RandomSource(seed: options.seed)
  }

  // MARK: Steps of a run

  /// Connects everyone; ``liveCount`` tells when they are there.
  mutating func begin() throws {
    for table in 0..<options.tables {
      tables.append(LoadTable(name: options.tableName(table)))
      for seat in 0..<options.players + options.spectators {
        let key = try loop.connect(to: options.address)
        while places.count <= Int(key.slot) { places.append(-1) }
        places[Int(key.slot)] = connections.count
        if seat < options.players { players.append(connections.count) }
        if tables[table].keeper < 0 { tables[table].keeper = connections.count }
        connections.append(LoadConnection(table: table, isPlayer: seat < options.players, key: key))
      }
    }
  }

  var isEveryoneLive: Bool { liveCount == connections.count }
  var unansweredCount: Int { connections.reduce(0) { $0 + $1.unanswered } }

  /// Lets every player submit.
  mutating func startSubmitting() {
    isSubmitting = true
    now = MonotonicClock.now()
    pace = options.rate.map { Pace(perSecond: $0, from: now) }
    for place in connections.indices { fill(place) }
  }

  mutating func stopSubmitting() {
    isSubmitting = false
    pace = nil
  }

  /// Gives what was counted since the last time.
  mutating func takeCounters() -> LoadCounters {
    defer { counters = LoadCounters() }
    return counters
  }

  /// After the run: asks for the snapshots and hashes that are compared.
  mutating func beginComparison() {
    faults.lost += UInt64(unansweredCount)
    for place in connections.indices where connections[place].phase == .live {
      if tables[connections[place].table].keeper == place {
        connections[place].ownHash = tables[connections[place].table].replica?.confirmedHash()
      } else {
        send(.snapshotRequest(why: "comparison after the run"), place)
      }
      send(.ping(Ping(nonce: 1, wantsHash: true)), place)
    }
  }

  var isCompared: Bool {
    connections.allSatisfy { $0.phase != .live || ($0.daemonHash != nil && $0.ownHash != nil) }
  }

  /// Counts what the comparison shows.
  mutating func finishComparison() {
    for connection in connections {
      if connection.phase == .live, connection.daemonHash == nil || connection.daemonHash != connection.ownHash {
        faults.diverged += 1
      }
    }
  }

  // MARK: Submitting

  private mutating func fill(_ place: Int) {
    guard canSubmit(place), let replica = tables[connections[place].table].replica else { return }
    let state = replica.state
    while canSubmit(place), submit(place, replica, state) {}
  }

  private func canSubmit(_ place: Int) -> Bool {
    isSubmitting && pace == nil && connections[place].isPlayer && connections[place].phase == .live
      && connections[place].retryFrom == nil && connections[place].unanswered < options.window
  }

  mutating func submit(_ place: Int, _ replica: Replica, _ state: TableState) -> Bool {
    let kind =
      state.type.name == "grid" || state.type.name == "list"
      ? state.anyMove(&random, not: connections[place].moved) : ruled(replica)
    guard let kind else { return false }
    submit(kind, place, base: state.revision)
    return true
  }

  mutating func submit(_ kind: TableOperation.Kind, _ place: Int, base: Revision) {
    let table = connections[place].table
    let sequence = connections[place].nextSequence
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: sequence), base: base, epoch: connections[place].epoch,
      unanswered: UInt32(connections[place].unanswered), kind: kind)
    connections[place].nextSequence += 1
    connections[place].unanswered += 1
    connections[place].noteSent(sequence, at: now)
    connections[place].noteMoved(kind, window: options.window)
    if table == 0, recording != nil {
      recording?.note(operation: ClientMessage.operation(operation).framed(), of: connections[place].session)
    }
    send(.operation(operation), place)
  }

  /// What the rules that came with other types than free lists allow.
  private mutating func ruled(_ replica: Replica) -> TableOperation.Kind? {
    guard case .submit(let kind, _) = strategy.next(at: replica, random: &random) else { return nil }
    return kind
  }

  private mutating func answered(_ place: Int, _ sequence: UInt64) {
    connections[place].unanswered -= 1
    let sent = connections[place].timeSent(sequence)
    if sent > 0, now > sent { counters.toOwn.record(now - sent) }
    if tables[connections[place].table].fillLeft > 0 { fillOn(connections[place].table) }
    if let from = connections[place].retryFrom, connections[place].unanswered == 0 {
      connections[place].nextSequence = from
      connections[place].retryFrom = nil
    }
  }

  private mutating func send(_ message: ClientMessage, _ place: Int) {
    writer.removeAll()
    writer.frame(message)
    _ = writer.withUnsafeBytes { loop.append(connections[place].key, $0) }
  }

  // MARK: Hearing

  mutating func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    let place = places[Int(connection.slot)]
    now = MonotonicClock.now()
    counters.bytes += UInt64(bytes.count)
    var position = 0
    do throws(DecodeError) {
      while let range = try reader.next(in: bytes, from: position) {
        receive(UnsafeRawBufferPointer(rebasing: bytes[range]), place)
        position = range.upperBound
      }
    } catch {
      faults.goodbyes["unreadable: \(error)", default: 0] += 1
      loop.close(connection)
      return bytes.count
    }
    fill(place)
    return position
  }

  private mutating func receive(_ frame: UnsafeRawBufferPointer, _ place: Int) {
    guard connections[place].phase == .live, case .diff(let revision, let author, let sequence) = FrameGlance(frame)
    else { return receiveMessage(frame, place) }
    let table = connections[place].table
    counters.deliveries += 1
    if revision != connections[place].revision + 1 { faults.gaps += 1 }
    connections[place].revision = revision
    let isOwn = author == connections[place].session
    let sent = isOwn ? connections[place].timeSent(sequence) : nil
    if let submitted = tables[table].delivered(revision, submitted: sent), now > submitted {
      counters.toLast.record(now - submitted)
    }
    if tables[table].keeper == place { apply(frame, place) }
    if isOwn {
      if table == 0, recording != nil { recording?.note(diff: frame, of: author) }
      answered(place, sequence)
    }
  }

  /// The keeper's copy takes a diff in.
  private mutating func apply(_ frame: UnsafeRawBufferPointer, _ place: Int) {
    let table = connections[place].table
    do {
      guard case .diff(let diff) = try ServerMessage(decoding: frame) else { return }
      _ = try tables[table].replica?.receive(diff)
      if diff.author != .daemon { counters.accepted += 1 }
      if diff.isRebased { counters.rebased += 1 }
    } catch {
      faults.diverged += 1
    }
  }

  private mutating func receiveMessage(_ frame: UnsafeRawBufferPointer, _ place: Int) {
    do {
      switch try ServerMessage(decoding: frame) {
      case .welcome(let welcome): try receive(welcome, place)
      case .snapshot(let part): try receive(part, place)
      case .outcome(let outcome): receive(outcome, place)
      case .pong(let pong): connections[place].daemonHash = pong.viewHash
      case .goodbye(let goodbye):
        faults.goodbyes["\(goodbye.reason.rawValue): \(goodbye.detail)", default: 0] += 1
      case .diff, .drag, .seats, .unknown: break
      }
    } catch {
      faults.goodbyes["\(error)", default: 0] += 1
      loop.close(connections[place].key)
    }
  }

  private mutating func receive(_ welcome: Welcome, _ place: Int) throws {
    connections[place].session = welcome.session.rawValue
    connections[place].seat = welcome.seat
    connections[place].epoch = welcome.epoch
    connections[place].phase = .loading
    if types[welcome.tableType] == nil {
      types[welcome.tableType] = try TableTypeDocument(parsing: welcome.tableType).makeTableType(
        options: welcome.options)
    }
    if tables[connections[place].table].keeper == place { connections[place].loader = makeLoader(welcome.tableType) }
  }

  private func makeLoader(_ document: String? = nil) -> StateLoader? {
    (document.flatMap { types[$0] } ?? types.values.first).map { StateLoader(type: $0) }
  }

  private mutating func receive(_ part: SnapshotPart, _ place: Int) throws {
    // After the run everyone takes a snapshot, whole; before it only the keeper does.
    if part.isFirst {
      connections[place].firstPart = part
      if connections[place].phase == .live { connections[place].loader = makeLoader() }
    }
    try connections[place].loader?.add(part)
    guard part.isComplete else { return }
    connections[place].revision = part.revision.rawValue
    let first = connections[place].firstPart
    connections[place].firstPart = nil
    let state = connections[place].loader.take()?.finish(
      revision: part.revision, status: first?.status ?? "", variables: first?.variables ?? [],
      seats: first?.seats ?? [])
    if connections[place].phase == .live {
      var copy = state
      connections[place].ownHash = copy?.viewHash()
    } else {
      joined(place, state)
    }
  }

  private mutating func joined(_ place: Int, _ state: TableState?) {
    let table = connections[place].table
    connections[place].phase = .live
    liveCount += 1
    tables[table].followers += 1
    guard let state else { return }
    let author = Author(
      session: SessionID(rawValue: connections[place].session), seat: connections[place].seat)
    var replica = Replica(state: state, epoch: connections[place].epoch, author: author, lastSequence: .zero)
    replica.reportsChanges = false
    tables[table].replica = replica
  }

  private mutating func receive(_ outcome: Outcome, _ place: Int) {
    switch outcome.verdict {
    case .refused: counters.refused += 1
    case .unchanged: counters.unchanged += 1
    case .duplicate: break
    case .retry:
      counters.retried += 1
      if connections[place].retryFrom == nil { connections[place].retryFrom = outcome.sequence.rawValue }
    }
    answered(place, outcome.sequence.rawValue)
  }

  // MARK: Coming and going

  mutating func connected(_ connection: ConnectionKey) {
    let place = places[Int(connection.slot)]
    connections[place].phase = .greeting
    let table = tables[connections[place].table]
    send(
      .hello(
        Hello(
          table: table.name, tableType: options.tableType, name: "load",
          role: connections[place].isPlayer ? .player : .spectator)), place)
  }

  mutating func connectFailed(_ connection: ConnectionKey, _ error: SystemError) {
    faults.goodbyes["cannot connect: \(error)", default: 0] += 1
    connections[places[Int(connection.slot)]].phase = .gone
  }

  mutating func closed(_ connection: ConnectionKey, _ reason: CloseReason) {
    let place = places[Int(connection.slot)]
    if connections[place].phase != .gone { faults.goodbyes["connection closed: \(reason)", default: 0] += 1 }
    connections[place].phase = .gone
  }
}

/// The run's place on its loop.
final class LoadRun: EventLoopHandler {
  let loop: EventLoop
  /// In one piece, so that a callback asks for the right to change it once.
  var state: LoadState

  init(_ options: LoadOptions) throws {
    loop = try EventLoop(waker: try Waker(), leftoverBytesMax: WireLimits.serverFrameBytesMax + 16)
    state = LoadState(options, loop)
  }

  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    state.received(connection, bytes)
  }

  func connected(_ connection: ConnectionKey) { state.connected(connection) }
  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { state.connectFailed(connection, error) }
  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { state.closed(connection, reason) }
  func accepted(_ connection: ConnectionKey, from peer: SocketAddress, on listener: ListenerKey) {}
  func acceptPaused(_ listener: ListenerKey, _ error: SystemError) {}
  func drained(_ connection: ConnectionKey, pendingBytes: Int) {}
  func woken() {}
  func turnEnded(now: UInt64) { state.submitDue() }
  var nextDeadline: UInt64? { state.nextDue }
}
