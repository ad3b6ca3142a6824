import BaizeHarness
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire

extension LoadState {
  mutating func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let place = set.number(of: connection) else { return bytes.count }
    now = MonotonicClock.now()
    counters.bytes += UInt64(bytes.count)
    var position = 0
    do throws(DecodeError) {
      while let range = try set.reader.next(in: bytes, from: position) {
        receive(UnsafeRawBufferPointer(rebasing: bytes[range]), place)
        position = range.upperBound
      }
    } catch {
      set.drop(connection)
      ended(place, "unreadable: \(error)")
      return bytes.count
    }
    fill(place)
    return position
  }

  mutating func receive(_ frame: UnsafeRawBufferPointer, _ place: Int) {
    guard connections[place].phase == .live, let diff = DiffHeader(frame) else { return receiveMessage(frame, place) }
    let revision = diff.revision
    let table = connections[place].table
    counters.deliveries += 1
    if revision != connections[place].revision + 1 { faults.gaps += 1 }
    connections[place].revision = revision
    let isOwn = diff.author == connections[place].session
    let sent = isOwn ? connections[place].timeSent(diff.sequence) : nil
    if let submitted = tables[table].delivered(revision, submitted: sent), now > submitted {
      counters.toLast.record(now - submitted)
    }
    if tables[table].keeper == place { apply(frame, place) }
    if isOwn {
      if table == 0, recording != nil { recording?.note(diff: frame, of: diff.author) }
      answered(place, diff.sequence)
    }
  }

  /// Applies a diff to the keeper's replica.
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
      set.drop(connections[place].key)
      ended(place, "\(error)")
    }
  }

  private mutating func receive(_ welcome: Welcome, _ place: Int) throws {
    connections[place].session = welcome.session.rawValue
    connections[place].epoch = welcome.epoch
    connections[place].phase = .loading
    if type == nil {
      type = try TableTypeDocument(parsing: welcome.tableType).makeTableType(options: welcome.options)
    }
  }

  private mutating func receive(_ part: SnapshotPart, _ place: Int) throws {
    // After the run everyone loads a snapshot; before it only the keeper does.
    let isLoaded = connections[place].phase == .live || tables[connections[place].table].keeper == place
    let state = try isLoaded ? connections[place].snapshot.add(part, of: type) : nil
    guard part.isComplete else { return }
    connections[place].revision = part.revision.rawValue
    if connections[place].phase == .live {
      var copy = state
      connections[place].ownHash = copy?.viewHash()
    } else {
      joined(place, state, part)
    }
  }

  private mutating func joined(_ place: Int, _ state: TableState?, _ part: SnapshotPart) {
    let table = connections[place].table
    connections[place].phase = .live
    liveCount += 1
    tables[table].followers += 1
    guard let state else { return }
    tables[table].replica = Replica(state, from: part, session: SessionID(rawValue: connections[place].session))
    tables[table].replica?.reportsChanges = false
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
