package import BaizeSync
package import BaizeTable
package import BaizeTransport

/// The schedule of operations at a rate, independent of earlier answers.
package struct Pace {
  package let perSecond: Double
  package let start: UInt64
  package private(set) var taken: UInt64 = 0

  package init(perSecond: Double, from start: UInt64) {
    self.perSecond = perSecond
    self.start = start
  }

  /// In monotonic nanoseconds.
  package var nextDue: UInt64 { start + UInt64(Double(taken) / perSecond * 1e9) }

  /// Takes the next one if it is due.
  ///
  /// - Returns: Its number, from 0.
  package mutating func takeDue(at now: UInt64) -> UInt64? {
    guard nextDue <= now else { return nil }
    taken += 1
    return taken - 1
  }
}

extension LoadState {
  /// The time at which the next operation is due.
  package var nextDue: UInt64? { pace?.nextDue }

  /// Submits the due operations, each player in turn: an open loop, so that a slow daemon gets no less load.
  package mutating func submitDue() {
    guard pace != nil else { return }
    now = MonotonicClock.now()
    while let number = pace?.takeDue(at: now) {
      let index = players[Int(number % UInt64(players.count))]
      guard let replica = tables[connections[index].table].replica, connections[index].phase == .live,
        connections[index].retryFrom == nil, connections[index].inFlight < Self.inFlightMax
      else {
        faults.goodbyes["a player got no answer for too long", default: 0] += 1
        continue
      }
      _ = submit(index, replica, replica.state)
    }
  }

  /// The daemon's limit of pending operations of one session.
  private static let inFlightMax = 256

  // MARK: Filling

  /// Writes long texts to an item of each table, one after the other, to fill the queues of stalled readers.
  package mutating func beginFilling() {
    for table in tables.indices where options.fillUpdates > 0 {
      tables[table].fillLeft = options.fillUpdates + 1
      fillOn(table)
    }
  }

  package var isFilled: Bool { tables.allSatisfy { $0.fillLeft == 0 } }

  /// Writes the next text of a table.
  package mutating func fillOn(_ table: Int) {
    tables[table].fillLeft -= 1
    let left = tables[table].fillLeft
    guard left > 0, let state = tables[table].replica?.state,
      let item = state.firstItem(in: CollectionHandle(rawValue: 1))
    else { return }
    let note = Attribute("note", "\(left) \(Self.longText)")
    // Each player in turn, so that none is silent for long.
    let writer = tables[table].replicaOwner + left % options.players
    submit(.update(item, attributes: [note], representations: []), writer, base: state.revision)
  }

  package static let fillTextBytes = 15 << 10
  private static let longText = String(repeating: "x", count: fillTextBytes)
}
