package import BaizeSync
import BaizeTable
import BaizeTransport
package import BaizeWire
import BaizeWorkload

extension LedgerPlay {
  package func opened(_ number: Int) { change(number) { $0.connected(at: $1, into: &$2) } }

  package func ended(_ number: Int, _ reason: String) {
    players[number].connection = nil
    change(number) { $0.closed(at: $1, into: &$2) }
  }

  package func receive(_ frame: UnsafeRawBufferPointer, _ number: Int) throws(DecodeError) {
    let message: ServerMessage
    do throws(DecodeError) {
      message = try ServerMessage(decoding: frame)
    } catch {
      faults.note(.rejected, "the daemon sent what cannot be read: \(error)")
      throw error
    }
    let table = players[number].table
    switch message {
    case .welcome(let welcome): note(welcome, number)
    case .snapshot(let part):
      players[number].order.note(part, into: &faults)
      if part.isComplete { ledgers[table].history.note(snapshot: part.epoch, part.revision) }
    case .diff(let diff):
      players[number].order.note(diff, into: &faults)
      ledgers[table].history.note(diff)
    case .outcome(let outcome):
      if outcome.verdict == .retry { counts.retries += 1 }
      if let session = players[number].session { ledgers[table].history.note(outcome, to: session) }
    case .pong(let pong): if pong.nonce == Self.endNonce { return note(pong, number) }
    case .countdown(let countdown):
      guard countdown.isTurnUp || countdown.isTableUp else { break }
      revisionsOfTimesUp.insert(TableRevision(table: table, revision: players[number].order.revision))
    case .drag, .seats, .presence, .chat, .goodbye, .unknown: break
    }
    change(number) { $0.receive(message, at: $1, into: &$2) }
  }

  private func note(_ welcome: Welcome, _ number: Int) {
    players[number].order.note(welcome, after: players[number].hello, into: &faults)
    ledgers[players[number].table].history.note(welcome)
    if let session = players[number].session {
      counts.add(welcome, after: session)
      if session != welcome.session {
        faults.note(.rejected, "player \(number) was session \(session.rawValue), and is \(welcome.session.rawValue)")
      }
    }
    players[number].session = welcome.session
  }

  private func note(_ pong: Pong, _ number: Int) {
    players[number].daemonHash = pong.viewHash
    players[number].endRevision = pong.revision
    var copy = players[number].machine.replica
    players[number].ownHash = copy?.confirmedHash()
  }

  // MARK: The machines

  /// Calls a player's machine, and carries out its effects.
  package func change(_ number: Int, _ body: (inout ClientMachine, Instant, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&players[number].machine, Instant(nanoseconds: connections.loop.now), &effects)
    for effect in effects { carryOut(effect, number) }
  }

  private func carryOut(_ effect: ClientEffect, _ number: Int) {
    switch effect {
    case .connect:
      do {
        players[number].connection = try connections.connect(to: options.address, as: number)
      } catch {
        change(number) { $0.closed(at: $1, into: &$2) }
      }
    case .persist: break
    case .send(let message): send(message, number)
    case .disconnect:
      if let key = players[number].connection.take() { connections.drop(key, afterFlush: true) }
    case .event(let event): note(event, number)
    }
  }

  package func send(_ message: ClientMessage, _ number: Int) {
    if case .hello(let hello) = message { players[number].hello = hello }
    if let key = players[number].connection { connections.send(message, to: key) }
  }

  private func note(_ event: ClientEvent, _ number: Int) {
    switch event {
    case .answered(let answered):
      if let submitted = players[number].submitted.removeValue(forKey: answered.operation.sequence) {
        latencies.record(MonotonicClock.now() - submitted)
      }
      ledgers[players[number].table].operations.answered(
        answered.operation.kind, OperationLedger.Verdict(answered.answer), to: number)
    case .diverged(let why): faults.note(.diverged, "player \(number): \(why)")
    case .ended(let goodbye):
      faults.note(.rejected, "player \(number): \(goodbye.reason.rawValue) \(goodbye.detail)".printable())
    case .joined, .changed, .diff, .drag, .seats, .presence, .chat, .countdown, .disconnected: break
    }
  }

  // MARK: Turns

  package func turnEnded(now: UInt64) {
    for number in players.indices {
      if let deadline = players[number].machine.nextDeadline, deadline.nanoseconds <= now {
        change(number) { $0.tick(at: $1, into: &$2) }
      }
      act(number, now: now)
    }
  }

  package var nextDeadline: UInt64? {
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
