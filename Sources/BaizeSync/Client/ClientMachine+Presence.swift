public import BaizeTable
public import BaizeWire

/// The participants' own values of presence, and messages to the table.
extension ClientMachine {
  /// The other participants' values, by session; without those that have none.
  public var presence: [SessionID: [UInt8]] { presenceBoard.others }

  /// Sets this participant's value. It is sent at most some twenty times a second, always the last one, and again after a
  /// reconnect.
  ///
  /// - Parameters:
  ///   - value: The value; empty for none.
  ///   - now: The present time.
  ///   - effects: The buffer for the machine's effects.
  /// - Returns: The reason why the value is not taken; `nil` if it is.
  public mutating func setPresence(
    _ value: [UInt8], at now: Instant, into effects: inout [ClientEffect]
  ) -> Refusal? {
    guard value.count <= WireLimits.presenceBytesMax else {
      return Refusal(
        .textTooLong, detail: "a value of presence has at most \(WireLimits.presenceBytesMax) bytes, not \(value.count)"
      )
    }
    presenceBoard.set(value)
    sendPresence(at: now, into: &effects)
    return nil
  }

  /// Sends a message to everyone at the table, this participant included. Without a connection it is refused: messages are
  /// not kept.
  ///
  /// - Returns: The reason why it is not sent; `nil` if it is. The daemon may still refuse it: `Chat.refusal`.
  public mutating func send(
    _ chat: Chat, at now: Instant, into effects: inout [ClientEffect]
  ) -> Refusal? {
    guard let replica, canSend else { return Refusal(.notJoined, detail: "there is no connection") }
    guard replica.author.seat != .spectator else {
      return Refusal(.permissionDenied, detail: "a spectator sends no messages")
    }
    guard replica.state.type.allowsChat else {
      return Refusal(.operationNotSupported, detail: "this table has no messages")
    }
    guard chat.kind.utf8.count <= WireLimits.chatKindBytesMax, chat.text.utf8.count <= WireLimits.chatTextBytesMax
    else {
      return Refusal(
        .textTooLong,
        detail:
          "a message has at most \(WireLimits.chatTextBytesMax) bytes, and its kind \(WireLimits.chatKindBytesMax)")
    }
    send(.chat(Chat(kind: chat.kind, text: chat.text)), at: now, into: &effects)
    return nil
  }

  /// Sends the value if it has changed and the rate allows it.
  mutating func sendPresence(at now: Instant, into effects: inout [ClientEffect]) {
    guard phase == .live, replica?.author.seat != .spectator, let presence = presenceBoard.due(at: now) else { return }
    send(.presence(presence), at: now, into: &effects)
  }

  mutating func receive(_ presence: Presence, into effects: inout [ClientEffect]) {
    guard presence.session != welcome?.session else { return }
    presenceBoard.receive(presence)
    effects.append(.event(.presence(presence)))
  }

  /// Takes over the time that is left.
  mutating func receive(_ countdown: Countdown, at now: Instant, into effects: inout [ClientEffect]) {
    func end(_ milliseconds: UInt32) -> Instant? {
      milliseconds == 0 ? nil : now.advanced(byMilliseconds: UInt64(milliseconds))
    }
    (turnEnd, tableEnd) = (end(countdown.turnMilliseconds), end(countdown.tableMilliseconds))
    effects.append(.event(.countdown(countdown)))
  }

  mutating func receive(_ watching: Watching, into effects: inout [ClientEffect]) {
    guard watching != self.watching else { return }
    self.watching = watching
    effects.append(.event(.watching(watching)))
  }

  mutating func receive(_ seats: [Seat], into effects: inout [ClientEffect]) {
    effects.append(.event(.seats(seats)))
    report(gone: presenceBoard.receive(seats), into: &effects)
  }

  /// Drops the values of those whose seat a diff has freed.
  mutating func dropPresence(after diff: Diff, into effects: inout [ClientEffect]) {
    for case .seats(let seats) in diff.changes { dropPresence(outside: seats, into: &effects) }
  }

  /// Drops the values of those who have none of these seats, the seats of a diff or of a snapshot.
  mutating func dropPresence(outside seats: [Seat], into effects: inout [ClientEffect]) {
    guard !presenceBoard.others.isEmpty else { return }
    report(gone: presenceBoard.keep(seats), into: &effects)
  }

  /// Forgets all values, the others' and what the daemon had of this one's, who watches, and the time that is left.
  ///
  /// - Parameter isConnected: Whether the connection goes on, under another epoch.
  mutating func restartPresence(isConnected: Bool, into effects: inout [ClientEffect]) {
    if isConnected { presenceBoard.enterEpoch() } else { presenceBoard.restart() }
    report(gone: presenceBoard.removeAll(), into: &effects)
    // The daemon sends these again if there are any.
    receive(Watching(), into: &effects)
    guard turnEnd != nil || tableEnd != nil else { return }
    (turnEnd, tableEnd) = (nil, nil)
    effects.append(.event(.countdown(Countdown())))
  }

  private func report(gone sessions: [SessionID], into effects: inout [ClientEffect]) {
    for session in sessions { effects.append(.event(.presence(Presence(session: session, value: [])))) }
  }
}

extension Reason {
  /// The client has no table: it has not joined yet or has left. Only the client itself refuses for this reason.
  public static let notJoined = Reason(rawValue: "NOT_JOINED")
}
