import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire

extension LoadState {
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
}
