import BaizeTable
import BaizeWire

/// Heartbeats, closing and reconnecting.
extension ClientMachine {
  var isConnected: Bool {
    switch phase {
    case .greeting, .loading, .live: true
    case .idle, .connecting, .waiting, .ended: false
    }
  }

  mutating func connect(into effects: inout [ClientEffect]) {
    phase = .connecting
    loading = nil
    catchUp = nil
    effects.append(.connect)
  }

  /// Closes the connection and reconnects after a backoff.
  mutating func drop(at now: Instant, into effects: inout [ClientEffect]) {
    effects.append(.disconnect)
    waitToReconnect(after: nil, at: now, into: &effects)
  }

  /// Waits before the next attempt: exponential backoff with full jitter (M. Brooker, "Exponential Backoff And Jitter",
  /// 2015), on top of the wait that the daemon asked for.
  mutating func waitToReconnect(after goodbye: Goodbye?, at now: Instant, into effects: inout [ClientEffect]) {
    let doublings = min(max(attempts, unreadable.count), 16)
    let (wait, isTooLong) = configuration.backoffMilliseconds.multipliedReportingOverflow(by: 1 << doublings)
    let ceiling = min(configuration.backoffMillisecondsMax, isTooLong ? .max : wait, Self.backoffMillisecondsMax)
    attempts += 1
    let asked = UInt64(goodbye?.retryAfterMilliseconds ?? 0)
    let until = now.advanced(byMilliseconds: asked + random.next(below: ceiling + 1))
    reconnectsFrom = now.advanced(byMilliseconds: asked)
    lastGoodbye = goodbye
    phase = .waiting(until: until)
    restartPresence(isConnected: false, into: &effects)
    effects.append(.event(.disconnected(goodbye, retryIn: until.duration(since: now))))
  }

  /// The maximum wait, whatever the configuration says: a day.
  private static let backoffMillisecondsMax: UInt64 = 86_400_000

  /// Drops a session that no longer exists. Its pending operations are never sent again.
  mutating func forget(into effects: inout [ClientEffect]) {
    answerPendingAsUnknown(into: &effects)
    keeping?.forgetSession()
    replica = nil
    made = nil
    isReplicaWrong = false
    sessionsLost += 1
  }

  /// Notes that the session has another seat, and perhaps another view: what is pending says that it was made under `seat`, and only
  /// a snapshot replaces the replica.
  mutating func changeSeat(from seat: SeatNumber) {
    replica?.noteLostSeat()
    keeping?.noteSeat(seat)
    isReplicaWrong = true
    // What an undo would name was done in that seat.
    if tableType?.dependsOnSeats != false { sessionsLost += 1 }
  }

  mutating func end(_ goodbye: Goodbye, into effects: inout [ClientEffect]) {
    if case .ended = phase { return }
    phase = .ended(goodbye)
    if goodbye.reason == .kicked { keeping?.hasLeft = true }
    // A daemon that does not admit this process leaves what an earlier one has stored as it is.
    if keeping == nil || keeping?.hasLeft == true || welcome != nil {
      answerPendingAsUnknown(into: &effects)
      keeping?.isPendingAnswered = true
      persist(into: &effects)
    }
    effects.append(.event(.ended(goodbye)))
  }

  mutating func send(_ message: ClientMessage, at now: Instant, into effects: inout [ClientEffect]) {
    heartbeat.lastSent = now
    effects.append(.send(message))
  }

  mutating func receive(_ goodbye: Goodbye, at now: Instant, into effects: inout [ClientEffect]) {
    effects.append(.disconnect)
    if goodbye.reason.isAboutBytes, unreadable.note(at: now) {
      // The same again would end the same way.
      let detail = "\(unreadable.count) times the daemon could not read what this client sent: \(goodbye.detail)"
      end(Goodbye(goodbye.reason, detail: detail, isResumable: false), into: &effects)
    } else if goodbye.isResumable {
      waitToReconnect(after: goodbye, at: now, into: &effects)
    } else {
      end(goodbye, into: &effects)
    }
  }

  mutating func sendHeartbeat(at now: Instant, into effects: inout [ClientEffect]) {
    if let retryAt, now >= retryAt { sendAgainIfDue(at: now, into: &effects) }
    if now >= heartbeat.lastReceived.advanced(bySeconds: 3 * heartbeatSeconds) { return drop(at: now, into: &effects) }
    guard now >= heartbeat.nextPing(interval: heartbeatSeconds) else { return }
    let interval = configuration.hashCheckSeconds
    let wantsHash = interval > 0 && now >= heartbeat.compared.advanced(bySeconds: interval)
    if wantsHash { heartbeat.compared = now }
    ping(wantsHash: wantsHash, at: now, into: &effects)
  }

  package mutating func ping(wantsHash: Bool, at now: Instant, into effects: inout [ClientEffect]) {
    heartbeat.nonce += 1
    heartbeat.lastPing = now
    send(.ping(Ping(nonce: heartbeat.nonce, wantsHash: wantsHash)), at: now, into: &effects)
  }

  /// Half the daemon's interval, so that one late ping does not time out the connection.
  var heartbeatSeconds: UInt64 { max(1, UInt64(welcome?.heartbeatSeconds ?? 10) / 2) }
}
