import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

// What the loop and the daemon say.
extension ReconnectRun: OutgoingHandler {
  func received(_ connection: ConnectionKey, _ bytes: UnsafeRawBufferPointer) -> Int {
    guard let place = owner(of: connection) else { return bytes.count }
    var position = 0
    do throws(DecodeError) {
      while players[place].connection == connection, let range = try reader.next(in: bytes, from: position) {
        position = range.upperBound
        receive(try ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: bytes[range])), place)
      }
    } catch {
      faults.note(.shutOut, "the daemon sent what is no frame: \(error)")
      change(place) { $0.receivedGarbage(error, at: $1, into: &$2) }
    }
    return players[place].connection == connection ? position : bytes.count
  }

  private func receive(_ message: ServerMessage, _ place: Int) {
    let table = players[place].table
    switch message {
    case .welcome(let welcome): note(welcome, place)
    case .snapshot(let part):
      players[place].stream.note(part, into: &faults)
      if part.isComplete { tables[table].history.note(snapshot: part.epoch, part.revision) }
    case .diff(let diff):
      players[place].stream.note(diff, into: &faults)
      tables[table].history.note(diff)
    case .outcome(let outcome):
      if outcome.verdict == .retry { counts.retries += 1 }
      if let session = players[place].session { tables[table].history.note(outcome, to: session) }
    case .pong(let pong): if pong.nonce == Self.endNonce { return note(pong, place) }
    case .drag, .seats, .goodbye, .unknown: break
    }
    change(place) { $0.receive(message, at: $1, into: &$2) }
  }

  private func note(_ welcome: Welcome, _ place: Int) {
    players[place].stream.note(welcome, after: players[place].hello, into: &faults)
    tables[players[place].table].history.note(welcome)
    if let session = players[place].session {
      counts.reconnects += 1
      if session != welcome.session {
        counts.anew += 1
        faults.note(.shutOut, "player \(place) was session \(session.rawValue), and is \(welcome.session.rawValue)")
      } else if welcome.tableType.isEmpty {
        counts.byDiffs += 1
      } else {
        counts.bySnapshot += 1
      }
    }
    players[place].session = welcome.session
  }

  private func note(_ pong: Pong, _ place: Int) {
    players[place].daemonHash = pong.viewHash
    players[place].endRevision = pong.revision
    var copy = players[place].machine.replica
    players[place].ownHash = copy?.confirmedHash()
  }

  private func owner(of connection: ConnectionKey) -> Int? {
    let place = owners[Int(connection.slot)]
    return players[place].connection == connection ? place : nil
  }

  // MARK: Coming and going

  func connected(_ connection: ConnectionKey) {
    guard let place = owner(of: connection) else { return }
    change(place) { $0.connected(at: $1, into: &$2) }
  }

  func connectFailed(_ connection: ConnectionKey, _ error: SystemError) { lost(connection) }
  func closed(_ connection: ConnectionKey, _ reason: CloseReason) { lost(connection) }

  func lost(_ connection: ConnectionKey) {
    guard let place = owner(of: connection) else { return }
    players[place].connection = nil
    change(place) { $0.closed(at: $1, into: &$2) }
  }

  func turnEnded(now: UInt64) {
    for place in players.indices {
      if let deadline = players[place].machine.nextDeadline, deadline.nanoseconds <= now {
        change(place) { $0.tick(at: $1, into: &$2) }
      }
      act(place, now: now)
    }
  }

  var nextDeadline: UInt64? {
    var deadline = UInt64.max
    for player in players {
      deadline = min(deadline, player.machine.nextDeadline?.nanoseconds ?? .max)
      if isPlaying, player.pendingCount < options.window, player.machine.replica != nil {
        deadline = min(deadline, player.restsUntil)
      }
    }
    return deadline
  }
}
