import BaizeTable
import BaizeWire

/// Drags: who holds which items over which destination. Relayed, never interpreted, never part of the state.
extension TableMachine {
  /// Passes a drag on to the others. What breaks a bound or makes no sense is left out, never answered with an end.
  mutating func drag(_ drag: Drag, from member: Int, at now: Instant, into batch: FrameBatch) {
    let place = members[member].session
    guard members[member].seat != .spectator else { return }
    var drag = drag
    drag.session = sessions[place].id
    drag.isRefused = false
    switch drag.phase {
    case .began:
      endDrag(of: place, into: batch)
      guard !drag.items.isEmpty, drag.items.count <= limits.itemsPerDragMax,
        drag.items.allSatisfy({ table.state.isTold($0, to: members[member].seat) })
      else { return }
      setDrag(drag, of: place)
    case .moved:
      guard let held = sessions[place].drag, isKnown(drag.over),
        sessions[place].dragRate.admits(perSecond: limits.dragMovesPerSecondMax, burst: 2, at: now)
      else { return }
      drag.items = held.items
      sessions[place].drag = drag
      sessions[place].drag?.phase = .began
    case .ended, .cancelled:
      guard let held = sessions[place].drag else { return }
      drag.items = held.items
      setDrag(nil, of: place)
    }
    relay(drag, except: member, isDroppable: drag.phase == .moved, into: batch)
  }

  private func isKnown(_ destination: Destination?) -> Bool {
    destination.map { table.state.isKnown($0.collection) } ?? true
  }

  /// A drag ends with its connection.
  mutating func endDrag(of place: Int, into batch: FrameBatch) {
    guard let drag = sessions[place].drag else { return }
    setDrag(nil, of: place)
    let member = members.firstIndex { $0.session == place }
    relay(
      Drag(session: sessions[place].id, phase: .cancelled, items: drag.items), except: member, isDroppable: false,
      into: batch)
  }

  /// A drag as `seat` is told of it: without the items, and without the place, that it is told nothing of.
  func told(_ drag: Drag, to seat: SeatNumber) -> Drag {
    let state = table.state
    guard state.type.hasSecrets else { return drag }
    var told = drag
    told.items = ItemList(drag.items.filter { state.isTold($0, to: seat) })
    if let over = drag.over, !state.isOpen(over.collection, to: seat) { told.over = .end(of: over.collection) }
    return told
  }

  private mutating func setDrag(_ drag: Drag?, of place: Int) {
    sessions[place].drag = drag
    draggers.removeAll { $0 == place }
    if drag != nil { draggers.append(place) }
  }

  /// Brings a member's picture of the drags level, which it was not told of while it did not follow: what has ended
  /// meanwhile, and what goes on.
  mutating func tellDrags(to member: Int, into batch: FrameBatch) {
    let connection = members[member].connection
    for session in members[member].draggersSeen where !draggers.contains(where: { sessions[$0].id == session }) {
      batch.send(.drag(Drag(session: session, phase: .cancelled)), to: connection)
    }
    members[member].draggersSeen = []
    for place in draggers {
      if let drag = sessions[place].drag { batch.send(.drag(told(drag, to: members[member].seat)), to: connection) }
    }
  }
}
