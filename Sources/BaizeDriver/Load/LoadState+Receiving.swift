package import BaizeSync
package import BaizeTable
import BaizeTableTypes
package import BaizeTransport
package import BaizeWire
package import BaizeWorkload

extension LoadState {
  /// - Parameter start: The position of the first frame.
  package mutating func receiveFrames(
    _ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer, from start: Int
  ) -> Int {
    guard let index = set.number(of: connection) else { return bytes.count }
    now = MonotonicClock.now()
    counters.bytes += UInt64(bytes.count)
    var position = start
    do throws(DecodeError) {
      while let (message, end) = try set.next(in: bytes, from: position) {
        if let message { receive(UnsafeRawBufferPointer(rebasing: bytes[message]), index) }
        position = end
      }
    } catch {
      set.drop(connection)
      ended(index, "unreadable: \(error)")
      return bytes.count
    }
    fill(index)
    return position
  }

  package mutating func receive(_ frame: UnsafeRawBufferPointer, _ index: Int) {
    guard connections[index].phase == .live, let diff = DiffHeader(frame) else { return receiveMessage(frame, index) }
    let revision = diff.revision
    let table = connections[index].table
    counters.deliveries += 1
    if revision != connections[index].revision + 1 { faults.gaps += 1 }
    connections[index].revision = revision
    let isOwn = diff.author == connections[index].session
    let sent = isOwn ? connections[index].timeSent(diff.sequence) : nil
    if let submitted = tables[table].delivered(revision, submitted: sent), now > submitted {
      counters.toLast.record(now - submitted)
    }
    if tables[table].replicaOwner == index { apply(frame, index) }
    if isOwn { answered(index, diff.sequence) }
  }

  /// Applies a diff to the table's replica.
  private mutating func apply(_ frame: UnsafeRawBufferPointer, _ index: Int) {
    let table = connections[index].table
    do {
      guard case .diff(let diff) = try ServerMessage(decoding: frame) else { return }
      _ = try tables[table].replica?.receive(diff)
      if diff.author != .daemon { counters.accepted += 1 }
      if diff.isRebased { counters.rebased += 1 }
    } catch {
      faults.diverged += 1
    }
  }

  private mutating func receiveMessage(_ frame: UnsafeRawBufferPointer, _ index: Int) {
    do {
      switch try ServerMessage(decoding: frame) {
      case .welcome(let welcome): try receive(welcome, index)
      case .snapshot(let part): try receive(part, index)
      case .outcome(let outcome): receive(outcome, index)
      case .pong(let pong): connections[index].daemonHash = pong.viewHash
      case .goodbye(let goodbye):
        faults.goodbyes["\(goodbye.reason.rawValue): \(goodbye.detail)".printable(), default: 0] += 1
      case .diff, .drag, .seats, .presence, .chat, .countdown, .unknown: break
      }
    } catch {
      set.drop(connections[index].key)
      ended(index, "\(error)")
    }
  }

  private mutating func receive(_ welcome: Welcome, _ index: Int) throws {
    connections[index].session = welcome.session.rawValue
    connections[index].epoch = welcome.epoch
    connections[index].phase = .loading
    if type == nil {
      type = try TableTypeDocument(parsing: welcome.tableType).makeTableType(options: welcome.options)
    }
  }

  private mutating func receive(_ part: SnapshotPart, _ index: Int) throws {
    // After the run everyone loads a snapshot; before it only the owner of the table's replica does.
    let isLoaded = connections[index].phase == .live || tables[connections[index].table].replicaOwner == index
    let state = try isLoaded ? connections[index].snapshot.add(part, of: type) : nil
    guard part.isComplete else { return }
    connections[index].revision = part.revision.rawValue
    if connections[index].phase == .live {
      var copy = state
      connections[index].ownHash = copy?.viewHash()
    } else {
      joined(index, state, part)
    }
  }

  private mutating func joined(_ index: Int, _ state: TableState?, _ part: SnapshotPart) {
    let table = connections[index].table
    connections[index].phase = .live
    liveCount += 1
    tables[table].followers += 1
    guard let state else { return }
    tables[table].replica = Replica(state, from: part, session: SessionID(rawValue: connections[index].session))
    tables[table].replica?.reportsChanges = false
  }

  private mutating func receive(_ outcome: Outcome, _ index: Int) {
    switch outcome.verdict {
    case .refused: counters.refused += 1
    case .unchanged: counters.unchanged += 1
    case .duplicate: break
    case .retry:
      counters.retried += 1
      if connections[index].retryFrom == nil { connections[index].retryFrom = outcome.sequence.rawValue }
    }
    answered(index, outcome.sequence.rawValue)
  }
}
