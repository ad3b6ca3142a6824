import BaizeTable
import BaizeWire

/// Presence: who is connected, and who drags which items over which destination. It is relayed and never part of the state.
/// `Room+Values.swift` has the participants' own values, and messages to the table.
extension Room {
  // MARK: Seats

  /// Sends every live member the seats and who is connected, if that has changed.
  mutating func announcePresence(in state: TableState, _ sessions: Sessions, into batch: FrameBatch) {
    guard hasNewPresence else { return }
    hasNewPresence = false
    guard !state.seats.isEmpty else { return }
    let frame = batch.encode(.seats(state.seats(connectedIn: sessions)))
    for index in members.indices where members[index].isLive { batch.send(frame, to: &members[index]) }
  }

  /// Sends a member that has become live the presence, which is not part of the state.
  mutating func sendPresence(to member: Int, in state: TableState, _ sessions: Sessions, into batch: FrameBatch) {
    if !state.seats.isEmpty, !hasNewPresence {
      batch.send(.seats(state.seats(connectedIn: sessions)), to: members[member].connection)
    }
    sendDrags(to: member, in: state, sessions, into: batch)
    members[member].wantsTime = true
    hasNewMembers = true
    if watchers.isUntold(members[member]) { watchers.hasUnsent = true }
    // After the seats, which may be sent at the end of the turn.
    values.markUnsent()
  }

  // MARK: Watching

  /// Sends every live member who watches, if it was told otherwise.
  mutating func announceWatchers(into batch: FrameBatch) {
    guard watchers.hasUnsent else { return }
    watchers.hasUnsent = false
    let frame = batch.encode(.watching(watchers.shown))
    for index in members.indices where members[index].isLive && watchers.isUntold(members[index]) {
      members[index].watchersVersion = watchers.version
      batch.send(frame, to: &members[index])
    }
  }

  // MARK: Time

  /// Sends every live member the time that is left.
  mutating func announce(_ countdown: Countdown, into batch: FrameBatch) {
    let frame = batch.encode(.countdown(countdown))
    for index in members.indices where members[index].isLive {
      members[index].wantsTime = false
      batch.send(frame, to: &members[index])
    }
    hasNewMembers = false
  }

  /// Sends the time that is left to the members that have become live. They expect none if none is left.
  mutating func announceToNew(_ countdown: Countdown, into batch: FrameBatch) {
    guard hasNewMembers else { return }
    hasNewMembers = false
    let frame = countdown == Countdown() ? nil : batch.encode(.countdown(countdown))
    for index in members.indices where members[index].isLive && members[index].wantsTime {
      members[index].wantsTime = false
      if let frame { batch.send(frame, to: &members[index]) }
    }
  }

  // MARK: Drags

  /// Relays a drag to the other members. A drag that may not begin is refused, to its author only; a movement that is
  /// invalid or over the rate limit is dropped.
  mutating func drag(
    _ drag: Drag, from member: Int, in state: TableState, _ sessions: inout Sessions, at now: Instant,
    into batch: FrameBatch
  ) {
    let slot = members[member].session
    var drag = drag
    drag.session = sessions[slot].id
    drag.isRefused = false
    switch drag.phase {
    case .began:
      // A new drag ends the client's previous one, even if it is refused.
      endDrag(of: slot, in: state, into: batch)
      guard mayBegin(drag, of: slot, as: members[member].seat, in: state, &sessions, at: now) else {
        return refuse(drag, to: member, into: batch)
      }
      sessions[slot].hasDragged = true
      claims.begin(drag, of: slot, since: state.revision, until: now.advanced(bySeconds: limits.sessions.claimSeconds))
    case .moved:
      guard claims.hasDrag(of: slot), drag.over.map({ state.isKnown($0) }) ?? true,
        sessions[slot].presenceRates.dragMove.admits(
          perSecond: limits.sessions.dragMovesPerSecondMax, burst: 2, at: now),
        let moved = claims.move(drag, of: slot)
      else { return }
      drag = moved
    case .ended, .cancelled:
      guard let held = claims.end(slot) else { return }
      drag.items = held.items
    }
    relay(drag, except: member, isDroppable: drag.phase == .moved, in: state, into: batch)
  }

  /// Returns whether a session may begin a drag: it sees all items, may lift them together, and no other session claims one.
  private mutating func mayBegin(
    _ drag: Drag, of slot: Int, as seat: SeatNumber, in state: TableState, _ sessions: inout Sessions, at now: Instant
  ) -> Bool {
    sessions[slot].presenceRates.drag.admits(
      perSecond: limits.sessions.dragsPerSecondMax, burst: max(1, limits.sessions.dragsPerSecondMax), at: now)
      && drag.items.count <= limits.sessions.itemsPerDragMax && state.refusalToLift(drag.items, by: seat) == nil
      && !claims.isClaimed(drag.items, in: state, at: now)
  }

  /// Sends the author of a drag its refusal. A member with a backlog gets none, so that repeated drags do not make it grow.
  private func refuse(_ drag: Drag, to member: Int, into batch: FrameBatch) {
    guard members[member].backlog.bytes <= limits.connections.outboxHardBytes else { return }
    let refused = Drag(session: drag.session, phase: .began, items: drag.items, isRefused: true)
    batch.send(.drag(refused), to: members[member].connection)
  }

  /// Ends the drag of a session that has lost its connection or begins another drag.
  mutating func endDrag(of slot: Int, in state: TableState, into batch: FrameBatch) {
    guard let drag = claims.end(slot) else { return }
    relay(
      Drag(session: drag.session, phase: .cancelled, items: drag.items), except: member(ofSession: slot),
      isDroppable: false, in: state, into: batch)
  }

  /// Sends a member that becomes live the drags that ended meanwhile and those in progress, except its own.
  private mutating func sendDrags(to member: Int, in state: TableState, _ sessions: Sessions, into batch: FrameBatch) {
    let (connection, slot) = (members[member].connection, members[member].session)
    for session in members[member].draggersSeen where session != sessions[slot].id && !claims.contains(session) {
      batch.send(.drag(Drag(session: session, phase: .cancelled)), to: connection)
    }
    members[member].draggersSeen = []
    for held in claims.drags where held.slot != slot {
      var drag = held.drag
      drag.items = ItemList(drag.items.filter(state.contains))
      batch.send(.drag(drag.visible(to: members[member].seat, in: state)), to: connection)
    }
  }
}

extension TableState {
  /// Returns the seats, with the sessions of each person that are connected.
  fileprivate func seats(connectedIn sessions: Sessions) -> [Seat] {
    seats.map { seat in
      var seat = seat
      let connected = sessions.slots(ofPerson: seat.person).filter { sessions[$0].isConnected }.map { sessions[$0].id }
      seat.isConnected = !connected.isEmpty
      seat.otherSessions = connected == [seat.person] ? [] : connected
      return seat
    }
  }
}
