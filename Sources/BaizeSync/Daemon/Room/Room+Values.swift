import BaizeTable
import BaizeWire

/// The participants' own values of presence, and messages to the table. They are relayed and never part of the state.
extension Room {
  // MARK: Values

  /// Sets a participant's value. One that is too long, or from a spectator, is dropped.
  mutating func setValue(_ presence: Presence, from member: Int, _ sessions: inout Sessions, at now: Instant) {
    let slot = members[member].session
    guard members[member].seat != .spectator, presence.value.count <= WireLimits.presenceBytesMax else { return }
    let perSecond = limits.sessions.presencesPerSecondMax
    let isWithinRate = sessions[slot].presenceRates.value.admits(perSecond: perSecond, burst: perSecond, at: now)
    values.set(presence.value, of: sessions[slot].id, isWithinRate: isWithinRate, limits, at: now)
  }

  /// Sends the live members the latest values that they have not been sent. A member with a backlog gets them later.
  mutating func sendValues(_ sessions: Sessions, into batch: FrameBatch) {
    guard values.hasUnsent else { return }
    let soft = limits.connections.outboxSoftBytes
    let behind = members.indices.filter { members[$0].isLive && members[$0].valuesVersion < values.version }
    let ready = behind.filter { members[$0].backlog.bytes <= soft }
    values.markSent(isComplete: ready.count == behind.count)
    guard let first = ready.map({ members[$0].valuesVersion }).min() else { return }
    // Encoded in the order in which each member gets them.
    let unsent = values.changes(since: first).map { (change: $0, frame: batch.encode(.presence($0.presence))) }
    for member in ready {
      let (last, session) = (members[member].valuesVersion, sessions[members[member].session].id)
      for (change, frame) in unsent where change.version > last && change.presence.session != session {
        // One who was sent nothing needs no empty values.
        if last > 0 || !change.presence.value.isEmpty { batch.send(frame, to: members[member].connection) }
      }
      members[member].valuesVersion = values.version
    }
  }

  /// Ends the drag and the value of a session whose connection ends.
  mutating func endPresence(of slot: Int, in state: TableState, _ sessions: inout Sessions, into batch: FrameBatch) {
    endDrag(of: slot, in: state, into: batch)
    if values.remove(sessions[slot].id) { sessions[slot].hadPresence = true }
  }

  /// Clears the value that others may have of a session's earlier connection.
  mutating func beginPresence(of slot: Int, _ sessions: inout Sessions) {
    guard sessions[slot].hadPresence, sessions[slot].seat != .spectator else { return }
    sessions[slot].hadPresence = false
    values.clear(sessions[slot].id)
  }

  // MARK: Messages

  /// Sends a message to all live members, its author included. One that is refused is answered to the author alone.
  mutating func chat(
    _ chat: Chat, from member: Int, in state: TableState, _ sessions: inout Sessions, at now: Instant,
    into batch: FrameBatch
  ) {
    let slot = members[member].session
    let id = sessions[slot].id
    if let refusal = refusal(of: chat, from: member, in: state, &sessions[slot], at: now) {
      // As for drags: repeated messages must not make a backlog grow.
      guard members[member].backlog.bytes <= limits.connections.outboxHardBytes else { return }
      return batch.send(.chat(Chat(session: id, text: "", refusal: refusal)), to: members[member].connection)
    }
    let frame = batch.encode(.chat(Chat(session: id, kind: chat.kind, text: chat.text)))
    for index in members.indices where members[index].isLive {
      guard members[index].backlog.bytes <= limits.connections.outboxSoftBytes else { continue }
      batch.send(frame, to: members[index].connection)
    }
  }

  private mutating func refusal(
    of chat: Chat, from member: Int, in state: TableState, _ session: inout Session, at now: Instant
  ) -> Reason? {
    guard members[member].seat != .spectator else { return .permissionDenied }
    guard state.type.allowsChat else { return .operationNotSupported }
    guard chat.kind.utf8.count <= WireLimits.chatKindBytesMax, chat.text.utf8.count <= WireLimits.chatTextBytesMax
    else {
      return .textTooLong
    }
    let (sessionLimits, tableRateMax) = (limits.sessions, limits.tables.chatsPerSecondMax)
    guard
      session.presenceRates.chat.admits(
        perSecond: sessionLimits.chatsPerSecondMax, burst: sessionLimits.chatsBurstMax, at: now),
      chatRate.admits(perSecond: tableRateMax, burst: tableRateMax, at: now)
    else { return .rateLimited }
    return nil
  }
}
