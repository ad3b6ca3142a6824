package import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
package import BaizeWire
import BaizeWorkload

extension LedgerPlay: MessageObserver {
  package func sent(_ message: ClientMessage, by client: LoopClient) {
    switch message {
    case .hello(let hello): players[client.tag].hello = hello
    case .ping(let ping): if isComparing, ping.wantsHash { players[client.tag].lastPing = ping.nonce }
    case .operation, .snapshotRequest, .drag, .presence, .chat, .signedToken, .goodbye, .unknown: break
    }
  }

  package func received(_ frame: UnsafeRawBufferPointer, by client: LoopClient) {
    do throws(DecodeError) {
      note(try ServerMessage(decoding: frame), client.tag)
    } catch {
      faults.note(.rejected, "the daemon sent what cannot be read: \(error)")
    }
  }

  private func note(_ message: ServerMessage, _ number: Int) {
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
    case .pong(let pong): if pong.nonce == players[number].lastPing { note(pong, number) }
    case .countdown(let countdown):
      guard countdown.isTurnUp || countdown.isTableUp else { break }
      revisionsOfTimesUp.insert(TableRevision(table: table, revision: players[number].order.revision))
    case .drag, .seats, .presence, .chat, .tokenTime, .watching, .goodbye, .unknown: break
    }
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
    var copy = players[number].client.replica
    players[number].ownHash = copy?.confirmedHash()
  }
}

extension LedgerPlay: LoopClientHandler {
  package func received(_ event: ClientEvent, by client: LoopClient) {
    let number = client.tag
    switch event {
    case .answered(let answered):
      if let submitted = players[number].submitted.removeValue(forKey: answered.operation.sequence) {
        latencies.record(MonotonicClock.now() - submitted)
      }
      ledgers[players[number].table].operations.answered(
        answered.operation.kind, OperationLedger.Verdict(answered.answer), to: number)
      scheduleNext(number)
    case .diverged(let why): faults.note(.diverged, "player \(number): \(why)")
    case .ended(let goodbye):
      faults.note(.rejected, "player \(number): \(goodbye.reason.rawValue) \(goodbye.detail)".printable())
    case .joined, .changed, .diff, .drag, .seats, .presence, .chat, .countdown, .watching, .disconnected: break
    }
  }

  package func timerFired(_ client: LoopClient) {
    act(client.tag)
    scheduleNext(client.tag)
  }
}
