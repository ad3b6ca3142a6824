import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// One table of a pair: the real machine behind its frames, its participants, and all frames to the watcher.
final class LeakRun {
  /// A frame that was sent to the watcher.
  struct Sent: Equatable {
    /// The number of the turn step, and the number of turns since the last: others may load for longer.
    let turn: Int
    let part: Int
    let bytes: [UInt8]
  }

  /// Whether an operation was refused, and what the watcher could see of it.
  struct Judged {
    let isRefused: Bool
    let isWatchers: Bool
    /// ``LeakRun/viewHash`` before it.
    let viewHash: UInt64
  }

  /// What happened up to a turn step, and in it.
  struct Turn {
    var sent: [Sent] = []
    /// The judgements of the operations that were sent to both tables, in order.
    var judgements: [Judged] = []
    /// ``LeakRun/viewHash`` behind it.
    var viewHash: UInt64 = 0
  }

  struct Participant {
    let role: Role
    var connection: ConnectionID?
    /// Whether the welcome came on this connection.
    var isWelcome = false
    var session: SessionID?
    var epoch = Epoch(rawValue: 0)
    var revision = Revision.zero
    var sequence = SequenceNumber.zero
    /// The number of its operations since the last turn.
    var unanswered: UInt32 = 0
    /// The operations that were sent to both tables, by their numbers here.
    var shared: [SequenceNumber] = []
  }

  let plan: LeakPlan
  private let types: LeakTypes
  private var host: ShardHost<MemoryJournal>
  private(set) var participants: [Participant]
  private var owners: [ConnectionID: Int] = [:]
  private var now = Instant(nanoseconds: 1_000_000_000)
  private(set) var turns: [Turn] = []
  private var turn = Turn()
  /// A hash of the faces that the watcher could see so far.
  private var viewHash: UInt64 = 0
  /// The cards whose faces the watcher could see at some time.
  private(set) var seen: Set<String> = []
  private var observedRevision: Revision?
  /// The watcher's seats at that revision.
  private var seatsSeen: [SeatNumber] = []

  init(_ plan: LeakPlan, _ types: LeakTypes) {
    self.plan = plan
    self.types = types
    host = ShardHost(plan.hostOptions(types, starts: 0), MemoryJournal())
    participants = plan.roles.map { Participant(role: $0) }
  }

  static let table = "t"

  /// The daemon's state.
  var state: TableState? { host.shard.state(ofTable: Self.table) }

  /// Returns the seat of a participant, which it may not know yet.
  func seat(of number: Int) -> SeatNumber {
    seats(of: number).max { $0.person < $1.person }?.number ?? .spectator
  }

  /// Returns all seats of a participant: once it was kicked it joins as a new person.
  private func seats(of number: Int) -> [Seat] { state?.seats.filter { $0.name == Self.name(of: number) } ?? [] }

  private static func name(of number: Int) -> String { "p\(number)" }

  // MARK: Steps

  /// - Parameter isFirst: Whether this is the table at which the steps are chosen.
  func take(_ step: LeakStep, isFirst: Bool) {
    now = now.advanced(byMilliseconds: 1)
    switch step {
    case .act(let number, let action, let kind, let age):
      submit(addressed(kind, action, isFirst), of: number, isShared: true, late: age)
    case .submit(let number, let first, let second):
      if let kind = isFirst ? first : second { submit(kind, of: number, isShared: first != nil && second != nil) }
    case .undo(let number, let index):
      let shared = participants[number].shared
      submit(.undo(shared.indices.contains(index) ? shared[index] : .zero), of: number, isShared: true)
    case .send(let number, .drag(let drag)): take(drag, of: number)
    case .send(let number, let message): send(message, number)
    case .cut(let number): cut(number)
    case .reconnect(let number, let claim): reconnect(number, claim)
    case .leave(let number):
      send(.goodbye(Goodbye(.leaving)), number)
      participants[number].isWelcome = false
      forgetSession(of: number)
    case .stall(let number, let isStalled):
      if let connection = participants[number].connection {
        let bytes = plan.limits.connections.outboxHardBytes + 1
        host.backlog(of: connection, isStalled ? bytes : 0, taken: isStalled ? 0 : bytes, at: now)
      }
    case .turn: endTurn()
    case .pass(let seconds):
      now = now.advanced(bySeconds: seconds)
      for number in participants.indices { send(.ping(Ping(nonce: 1, wantsHash: false)), number) }
      host.tick(at: now)
    case .restart: restart()
    }
    observe()
    guard case .turn = step else { return }
    turn.viewHash = viewHash
    turns.append(turn)
    turn = Turn()
  }

  private func addressed(
    _ kind: TableOperation.Kind, _ action: ClientAction, _ isFirst: Bool
  ) -> TableOperation.Kind {
    isFirst || !plan.addressesByPosition ? kind : state.flatMap { action.operation(at: $0, after: .zero) } ?? kind
  }

  /// - Parameters:
  ///   - isShared: Whether an operation is sent to the other table, too.
  ///   - age: By how many revisions its base is older than what the participant has received.
  private func submit(_ kind: TableOperation.Kind, of number: Int, isShared: Bool, late age: UInt64 = 0) {
    guard participants[number].isWelcome, participants[number].connection != nil else { return }
    let participant = participants[number]
    let sequence = participant.sequence.next
    participants[number].sequence = sequence
    if isShared { participants[number].shared.append(sequence) }
    participants[number].unanswered += 1
    let (before, seen) = (host.shard.countsSoFar.refused, viewHash)
    // An operation that only one table gets must be refused there. On an old base it would be answered with a retry, and so
    // would all that follow.
    let known = Revision(rawValue: participant.revision.rawValue - min(participant.revision.rawValue, age))
    let base = isShared ? known : state?.revision ?? participant.revision
    send(
      .operation(
        TableOperation(
          sequence: sequence, base: base, epoch: participant.epoch, unanswered: participant.unanswered, kind: kind)),
      number)
    guard isShared else { return }
    let isRefused = host.shard.countsSoFar.refused > before
    turn.judgements.append(Judged(isRefused: isRefused, isWatchers: number == plan.watcher, viewHash: seen))
  }

  /// Handles a drag. Whether it begins is its author's knowledge, like the verdict of an operation: it depends on the
  /// author's own cards.
  private func take(_ drag: Drag, of number: Int) {
    let seen = viewHash
    send(.drag(drag), number)
    guard drag.phase == .began, let session = participants[number].session else { return }
    let isRefused = !host.shard.hasDrag(of: session, atTable: Self.table)
    turn.judgements.append(Judged(isRefused: isRefused, isWatchers: number == plan.watcher, viewHash: seen))
  }

  private func send(_ message: ClientMessage, _ number: Int) {
    guard let connection = participants[number].connection else { return }
    host.receive(message, on: connection, at: now)
  }

  private func cut(_ number: Int) {
    guard let connection = participants[number].connection else { return }
    disconnect(connection)
    host.closed(connection, at: now)
  }

  private func disconnect(_ connection: ConnectionID) {
    guard let number = owners.removeValue(forKey: connection) else { return }
    participants[number].connection = nil
    participants[number].isWelcome = false
  }

  /// Connects a participant, whose slot is its number.
  private func reconnect(_ number: Int, _ claim: LeakStep.Claim) {
    cut(number)
    let connection = host.connect(slot: number, at: now)
    owners[connection] = number
    participants[number].connection = connection
    let participant = participants[number]
    var hello = Hello(
      table: Self.table, tableType: types.type.name, name: Self.name(of: number), role: participant.role,
      credential: Array(repeating: UInt8(number + 1), count: WireLimits.credentialBytes))
    if participant.session != nil {
      switch claim {
      case .nothing: break
      case .present: (hello.epoch, hello.revision) = (participant.epoch, participant.revision)
      case .older(let count):
        hello.epoch = participant.epoch
        hello.revision = Revision(rawValue: participant.revision.rawValue - min(participant.revision.rawValue, count))
      }
    }
    send(.hello(hello), number)
  }

  private func forgetSession(of number: Int) { participants[number].session = nil }

  private func restart() {
    host.crash(plan.hostOptions(types, starts: host.starts + 1))
    for connection in owners.keys { disconnect(connection) }
  }

  // MARK: Turns

  private func endTurn() {
    for number in participants.indices { participants[number].unanswered = 0 }
    for part in 0..<100 {
      var isBusy = false
      do throws(JournalError) {
        isBusy = try host.runTurn(at: now, to: { receive($1, on: $0, part) }, closing: disconnect)
      } catch {
        preconditionFailure("a journal in memory failed: \(error)")
      }
      guard isBusy || host.shard.wantsTurn else { return }
    }
  }

  private func receive(_ frame: UnsafeRawBufferPointer, on connection: ConnectionID, _ part: Int) {
    guard let number = owners[connection] else { return }
    if number == plan.watcher { turn.sent.append(Sent(turn: turns.count + 1, part: part, bytes: [UInt8](frame))) }
    if let message = try? ServerMessage(delivery: frame) { receive(message, number) }
  }

  private func receive(_ message: ServerMessage, _ number: Int) {
    switch message {
    case .welcome(let welcome):
      participants[number].isWelcome = true
      participants[number].session = welcome.session
      participants[number].sequence = welcome.lastSequence
      participants[number].epoch = welcome.epoch
    case .snapshot(let part): if part.isComplete { participants[number].revision = part.revision }
    case .diff(let diff): participants[number].revision = diff.revision
    case .goodbye(let goodbye):
      if goodbye.reason == .kicked { forgetSession(of: number) }
    case .outcome, .drag, .pong, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
    }
  }

  // MARK: Visible faces

  /// Notes the faces that the watcher can see.
  private func observe() {
    guard var state, state.revision != observedRevision else { return }
    observedRevision = state.revision
    var hash = viewHash
    let seats = seats(of: plan.watcher).map(\.number)
    // Items before another seat may have been arranged differently while another participant had that seat.
    if seats != seatsSeen { for seat in seats { hash = SplitMix64.mix(hash ^ state.viewHash(for: seat)) } }
    seatsSeen = seats
    for (item, isFaceVisible) in (seats.isEmpty ? [.spectator] : seats).flatMap({ state.visibleItems(to: $0) }) {
      // The position of a pinned item in a hand becomes visible when the hand is put down.
      if item.isPinned { hash = SplitMix64.mix(hash ^ item.id.rawValue) }
      guard isFaceVisible else { continue }
      if let mark = item.face.mark { seen.insert(mark) }
      // The random ids of a hand's cards reveal nothing, and differ if the cards arrived in another order.
      hash = SplitMix64.mix(item.id.rawValue >= ItemID.privateBit ? hash ^ item.id.rawValue : hash)
      for attribute in item.face.attributes {
        switch attribute.value {
        case .number(let number): hash = SplitMix64.mix(hash ^ UInt64(bitPattern: number))
        case .text(let text): for byte in text.utf8 { hash = SplitMix64.mix(hash ^ UInt64(byte)) }
        case nil: break
        }
      }
    }
    viewHash = hash
  }
}
