import BaizeTable
import BaizeWire

/// Presence: who is there, and who holds which items over which destination. Relayed, never part of the state. What drags
/// claim stands in `TableMachine+Claims.swift`.
extension TableMachine {
  // MARK: Seats

  /// Tells everyone who follows who sits where and who is connected: presence, no diff.
  mutating func announcePresence(into batch: FrameBatch) {
    guard hasNewPresence else { return }
    hasNewPresence = false
    guard !table.state.seats.isEmpty else { return }
    let range = batch.encode(.seats(seatsWithPresence))
    for member in members where member.isLive { batch.deliver(range, to: member.connection) }
  }

  /// Tells a member that has come to follow what is no part of the state.
  mutating func tellPresence(to member: Int, into batch: FrameBatch) {
    if !table.state.seats.isEmpty, !hasNewPresence {
      batch.send(.seats(seatsWithPresence), to: members[member].connection)
    }
    tellDrags(to: member, into: batch)
  }

  private var seatsWithPresence: [Seat] {
    table.state.seats.map { seat in
      var seat = seat
      seat.isConnected = sessionPlaces[seat.session].map { sessions[$0].isConnected } ?? false
      return seat
    }
  }

  // MARK: Drags

  /// Passes a drag on to the others. One that may not begin is refused, to its author alone; a movement that breaks a bound
  /// or makes no sense is left out.
  mutating func drag(_ drag: Drag, from member: Int, at now: Instant, into batch: FrameBatch) {
    let place = members[member].session
    var drag = drag
    drag.session = sessions[place].id
    drag.isRefused = false
    switch drag.phase {
    case .began:
      // Whoever lifts something has let go of what it held, granted or not.
      endDrag(of: place, into: batch)
      guard
        sessions[place].dragRate.admits(
          perSecond: limits.dragsPerSecondMax, burst: max(1, limits.dragsPerSecondMax), at: now),
        isClaimable(drag.items, for: member, at: now)
      else { return refuse(drag, to: member, into: batch) }
      begin(drag, of: place, at: now)
    case .moved:
      guard let held = sessions[place].drag, isKnown(drag.over),
        sessions[place].dragMoveRate.admits(perSecond: limits.dragMovesPerSecondMax, burst: 2, at: now)
      else { return }
      drag.items = held.items
      sessions[place].drag = drag
      sessions[place].drag?.phase = .began
    case .ended, .cancelled:
      guard let held = letGo(place) else { return }
      drag.items = held.items
    }
    relay(drag, except: member, isDroppable: drag.phase == .moved, into: batch)
  }

  private func isKnown(_ destination: Destination?) -> Bool {
    destination.map { table.state.isKnown($0.collection) } ?? true
  }

  /// Tells the author of a drag that it has not begun. Whoever reads nothing is not told: it might ask without end.
  private func refuse(_ drag: Drag, to member: Int, into batch: FrameBatch) {
    guard members[member].backlogBytes <= limits.outboxHardBytes else { return }
    let refused = Drag(session: drag.session, phase: .began, items: drag.items, isRefused: true)
    batch.send(.drag(refused), to: members[member].connection)
  }

  /// A drag ends with its connection.
  mutating func endDrag(of place: Int, into batch: FrameBatch) {
    guard let drag = letGo(place) else { return }
    let member = members.firstIndex { $0.session == place }
    relay(
      Drag(session: sessions[place].id, phase: .cancelled, items: drag.items), except: member, isDroppable: false,
      into: batch)
  }

  /// A drag as `seat` is told of it: without the items, and without the place, that it is told nothing of.
  func told(_ drag: Drag, to seat: SeatNumber) -> Drag {
    guard table.state.type.hasSecrets else { return drag }
    var told = drag
    told.items = ItemList(drag.items.filter { table.state.isTold($0, to: seat) })
    if let over = drag.over, !table.state.isOpen(over.collection, to: seat) { told.over = .end(of: over.collection) }
    return told
  }

  /// Brings a member's picture of the drags level, which it was not told of while it did not follow: what has ended
  /// meanwhile, and what goes on; of its own drag it knows.
  mutating func tellDrags(to member: Int, into batch: FrameBatch) {
    let (connection, own) = (members[member].connection, members[member].session)
    for session in members[member].draggersSeen
    where session != sessions[own].id && !draggers.contains(where: { sessions[$0].id == session }) {
      batch.send(.drag(Drag(session: session, phase: .cancelled)), to: connection)
    }
    members[member].draggersSeen = []
    for place in draggers where place != own {
      guard var drag = sessions[place].drag else { continue }
      drag.items = ItemList(drag.items.filter(table.state.contains))
      batch.send(.drag(told(drag, to: members[member].seat)), to: connection)
    }
  }
}
