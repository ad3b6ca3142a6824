import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import BaizeWorkload

extension Driver {
  /// Reads all frames of a read itself: the member is looked up once for them, and fills its window behind them.
  func receiveFrames(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
    guard let number = connections.number(of: connection) else { return bytes.count }
    if isTimed { now = MonotonicClock.now() }
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
      fillWindow(&member, number)
      members[number] = member
    } catch {
      members[number] = member
      connections.drop(connection)
      ended(number, "unreadable: \(error)")
    }
    counters.bytes &+= UInt64(position - start)
    return position
  }

  @inline(__always) private func receive(
    _ diff: DiffHeader, _ frame: UnsafeRawBufferPointer, _ member: inout DriverMember, _ number: Int
  ) {
    if diff.revision == member.revision &+ 1 {
      member.revision = diff.revision
    } else if !isNew(diff.revision, &member, number) {
      return
    }
    guard member.isLive else { return reach(&member, number) }
    counters.deliveries &+= 1
    let isOwn = diff.author == member.session
    if isTimed { time(diff, isOwn, Int(member.table), number) }
    if member.keepsCopy { apply(frame, Int(member.table)) }
    guard isOwn else { return }
    counters.accepted &+= 1
    if diff.sequence == Self.sampleSequence, case .routes = supply.source { seats[number].sample = framed(frame) }
    answered(diff.sequence, &member, number)
  }

  /// Notes a revision that is not the next one.
  ///
  /// - Returns: Whether it is new to the member: it was skipped before, or others are skipped now.
  @inline(never) private func isNew(_ revision: UInt64, _ member: inout DriverMember, _ number: Int) -> Bool {
    if answers != nil {
      member.revision = revision
      return true
    }
    if revision <= member.revision {
      let isSkipped = seats[number].skipped.remove(revision) != nil
      if isSkipped {
        noted.reordered &+= 1
        skippedCount -= min(skippedCount, 1)
      } else {
        noted.doubled &+= 1
      }
      return isSkipped
    }
    let first = member.revision &+ 1
    // A daemon can say any revision.
    skippedCount = min(skippedCount &+ min(revision &- first, Self.skippedMax), Self.skippedMax)
    // Of more than a seat remembers, the late ones count as doubled.
    let room = UInt64(DriverSeat.skippedMax - seats[number].skipped.count)
    for skipped in first..<first &+ min(room, revision &- first) { seats[number].skipped.insert(skipped) }
    member.revision = revision
    return true
  }

  /// The revisions that are counted as missing: more say no more.
  private static let skippedMax: UInt64 = 1 << 40

  /// The operation whose diff is kept for a relay: one with a revision and a sequence number as long as most.
  private static let sampleSequence: UInt64 = 130

  private func framed(_ frame: UnsafeRawBufferPointer) -> [UInt8] {
    var writer = ByteWriter()
    writer.delimited { $0.append(frame) }
    return writer.withUnsafeBytes { [UInt8]($0) }
  }

  private func time(_ diff: DiffHeader, _ isOwn: Bool, _ table: Int, _ number: Int) {
    let planned = isOwn ? seats[number].flight(diff.sequence).planned : 0
    guard let submitted = tables[table].delivered(diff.revision, submitted: planned, to: perTable), now > submitted
    else { return }
    counters.toLast.record(now - submitted)
  }

  /// Applies a diff to the table's copy.
  private func apply(_ frame: UnsafeRawBufferPointer, _ table: Int) {
    do {
      guard case .diff(let diff) = try ServerMessage(decoding: frame) else { return }
      _ = try tables[table].replica?.receive(diff)
      if diff.isRebased { counters.rebased += 1 }
      if diff.isRedirected { counters.redirected += 1 }
    } catch {
      noted.diverged += 1
    }
  }

  @inline(__always) private func answered(_ sequence: UInt64, _ member: inout DriverMember, _ number: Int) {
    if isTimed, answers == nil, !time(sequence, number) { return }
    member.pending &-= 1
    guard member.retryFrom > 0, member.pending == 0 else { return }
    member.sequence = member.retryFrom &- 1
    member.retryFrom = 0
  }

  /// Records the times of an operation that is answered.
  ///
  /// - Returns: Whether it is the first answer.
  private func time(_ sequence: UInt64, _ number: Int) -> Bool {
    let flight = seats[number].flight(sequence)
    guard !flight.isAnswered else {
      noted.doubled &+= 1
      return false
    }
    seats[number].noteAnswered(sequence)
    let (response, service) = (now &- min(now, flight.planned), now &- min(now, flight.sent))
    counters.toOwn.record(service)
    if supply.isPlanned { counters.response.record(response) }
    counters.note(response, of: flight.kind)
    return true
  }

  private func reach(_ member: inout DriverMember, _ number: Int) {
    guard member.revision >= seats[number].target.rawValue, !member.isLive else { return }
    member.isLive = true
    progress.liveCount += 1
    if isTimed { counters.toJoin.record(now &- min(now, seats[number].connectedAt)) }
  }

  // MARK: Other messages

  private func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    switch try ServerMessage(decoding: frame) {
    case .welcome(let welcome): receive(welcome, number)
    case .snapshot(let part):
      do {
        try receive(part, number)
      } catch {
        end(number, "\(error)")
      }
    case .outcome(let outcome): receive(outcome, number)
    case .pong(let pong):
      guard pong.nonce == progress.round else { return }
      seats[number].isAnswered = true
      seats[number].daemonHash = pong.viewHash
    case .goodbye(let goodbye):
      noted.noteEnd("\(goodbye.reason.rawValue): \(goodbye.detail)".printable())
    case .diff, .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
    }
  }

  private func end(_ number: Int, _ reason: String) {
    if let key = members[number].key { connections.drop(key) }
    ended(number, reason)
  }

  private func receive(_ welcome: Welcome, _ number: Int) {
    counters.welcomes += 1
    progress.welcomedAt = MonotonicClock.now()
    members[number].session = welcome.session.rawValue
    seats[number].ticket = welcome.ticket
    seats[number].epoch = welcome.epoch
    // Diffs follow, or nothing.
    if welcome.tableType.isEmpty { return reach(&members[number], number) }
    guard type == nil, members[number].isPlayer else { return }
    do {
      type = try TableTypeDocument(parsing: welcome.tableType).makeTableType(options: welcome.options)
    } catch {
      end(number, "\(error)")
    }
  }

  private func receive(_ part: SnapshotPart, _ number: Int) throws {
    if part.isFirst {
      counters.snapshots += 1
      items?.removeAll()
    }
    items?.append(contentsOf: part.items)
    // Members load a snapshot when they are compared; before, only a table's first player does.
    let isLive = members[number].isLive
    let isLoaded = isLive || (members[number].isPlayer && number % perTable == 0)
    let state = try isLoaded ? seats[number].snapshot.add(part, of: type) : nil
    guard part.isComplete else { return }
    members[number].revision = part.revision.rawValue
    // Of one that keeps a copy no snapshot is asked for: the daemon has left out diffs that it was too slow for.
    if isLive, !members[number].keepsCopy {
      seats[number].isCompared = true
      guard var state, isAsMoved(state, number) else { return }
      seats[number].ownHash = state.viewHash()
      return
    }
    if !isLive { reach(&members[number], number) }
    guard let state else { return }
    var replica = Replica(state, from: part, session: SessionID(rawValue: members[number].session))
    replica.reportsChanges = false
    tables[number / perTable].replica = replica
    members[number].keepsCopy = true
  }

  private func receive(_ outcome: Outcome, _ number: Int) {
    switch outcome.verdict {
    case .refused: counters.noteRefusal(outcome.refusal.reason.rawValue)
    case .unchanged: counters.unchanged += 1
    case .duplicate: break
    case .retry:
      counters.retried += 1
      if members[number].retryFrom == 0 { members[number].retryFrom = outcome.sequence.rawValue }
    }
    answered(outcome.sequence.rawValue, &members[number], number)
  }
}
