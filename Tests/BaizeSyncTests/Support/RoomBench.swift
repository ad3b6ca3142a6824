import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A room with its table and sessions, without a shard: what a table's machine does with them, and what members receive.
/// The members have the indices of their sessions' slots, as long as none is removed.
struct RoomBench {
  var table: Table
  var sessions = Sessions()
  var room: Room
  var batch = FrameBatch()
  let limits: SyncLimits
  private var random = RandomSource(seed: 3)

  init(_ type: String = "list?items=5", _ configure: (inout SyncLimits) -> Void = { _ in }) throws {
    var limits = SyncLimits()
    configure(&limits)
    self.limits = limits
    table = Table(type: try SimulatedTypes().tableType(named: type), random: RandomSource(seed: 2))
    room = Room(epoch: Epoch(rawValue: 1), of: table.state, limits: SharedLimits(limits))
  }

  static let list = CollectionHandle(rawValue: 1)

  /// Adds a live member with a session of its own. Several may act for one seat: the room does not mind.
  mutating func join(seat: UInt32 = 1) -> Int {
    let id = sessions.nextID
    let session = Session(
      id: id, name: "\(id.rawValue)", seat: SeatNumber(rawValue: seat),
      identity: SessionIdentity(person: id, credential: nil, name: [], ticket: random.next()))
    let slot = sessions.insert(session)
    return room.add(
      Member(
        connection: ConnectionID(slot: UInt32(slot), generation: 1), session: slot, seat: session.seat,
        joined: TurnNumber(rawValue: 1)))
  }

  // MARK: Publishing

  /// Judges an operation of a member on the present state, and publishes its diff.
  @discardableResult mutating func perform(_ kind: TableOperation.Kind, by member: Int) throws -> Diff {
    let slot = room.members[member].session
    let operation = TableOperation(
      sequence: sessions[slot].answers.last.next, base: table.state.revision, epoch: Epoch(rawValue: 1), kind: kind)
    let author = Author(session: sessions[slot].id, seat: sessions[slot].seat)
    guard case .accepted(let diff) = table.judge(operation, by: author, memory: &sessions[slot].memory) else {
      throw NotAccepted(kind: kind)
    }
    let reachesAuthor = room.publish(diff, author: slot, into: batch)
    sessions[slot].answers.record(diff, limit: limits.sessions.pendingOperationsMax)
    if reachesAuthor { sessions[slot].answers.markSent(diff.sequence) }
    return diff
  }

  struct NotAccepted: Error {
    let kind: TableOperation.Kind
  }

  /// Moves the first item of the list to its end.
  @discardableResult mutating func moveFirst(by member: Int) throws -> Diff {
    let item = try #require(table.state.itemIDs(in: Self.list).first)
    return try perform(.move([item], to: .end(of: Self.list)), by: member)
  }

  /// Judges nothing, and answers.
  mutating func refuse(_ member: Int) {
    let slot = room.members[member].session
    let outcome = Outcome(
      sequence: sessions[slot].answers.last.next, verdict: .refused, refusal: Refusal(.forbidden),
      revision: table.state.revision)
    sessions[slot].answers.record(outcome, limit: limits.sessions.pendingOperationsMax)
    JournalEntry.outcome(sessions[slot].id, outcome).append(to: &room.log)
    room.answer(outcome, member, &sessions[slot].answers, into: batch)
  }

  // MARK: The turn

  /// Ends the turn, in which at most so many parts of snapshots may be made.
  ///
  /// - Returns: What each connection's slot was sent.
  mutating func endTurn(parts: Int = 8) throws -> SentMessages {
    var parts = parts
    room.produceParts(&parts, &table, &sessions, into: batch)
    room.announcePresence(in: table.state, sessions, into: batch)
    room.sendValues(sessions, into: batch)
    room.endTurn()
    room.closeRecord(at: table.state.revision)
    return try batch.take()
  }

  /// - Parameter isSlow: Whether the member reads less than it needs for the next part.
  mutating func beginSnapshot(_ member: Int, isSlow: Bool = false) {
    room.beginSnapshot(member, of: table.state, sessions)
    if isSlow { report(member, backlog: limits.connections.outboxResumeBytes + 1) }
  }

  mutating func sendMissedRecords(since revision: Revision, to member: Int) {
    room.sendMissedRecords(since: revision, to: member, &table, &sessions, into: batch)
  }

  mutating func report(_ member: Int, backlog bytes: Int) {
    room.reportBacklog(of: member, bytes, taken: 0, at: Instant(nanoseconds: 1))
  }

  mutating func drag(_ phase: Drag.Phase, _ items: ItemList = [], by member: Int, at seconds: UInt64 = 1) {
    room.drag(
      Drag(phase: phase, items: items), from: member, in: table.state, &sessions,
      at: Instant(nanoseconds: 0).advanced(bySeconds: seconds), into: batch)
  }
}

extension FrameBatch {
  /// Takes the messages of all frames.
  func take() throws -> SentMessages {
    defer { removeAll() }
    var sent = SentMessages()
    var failure: (any Error)?
    forEachFrame { connection, frame in
      do { sent[Int(connection.slot)].append(try ServerMessage(delivery: frame)) } catch { failure = error }
    }
    if let failure { throw failure }
    return sent
  }
}

/// What each connection's slot was sent.
struct SentMessages {
  private(set) var bySlot: [Int: [ServerMessage]] = [:]
  var isEmpty: Bool { bySlot.isEmpty }

  subscript(slot: Int) -> [ServerMessage] {
    get { bySlot[slot, default: []] }
    set { bySlot[slot] = newValue }
  }
}
