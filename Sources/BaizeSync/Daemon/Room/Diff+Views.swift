import BaizeTable

extension Diff {
  /// The diff as members other than its author receive it, at a table whose members have different views. The sequence
  /// number (which counts the author's refused operations) and the requested destination are not for them.
  var forOthers: Diff {
    var diff = self
    diff.sequence = .zero
    diff.isRebased = false
    diff.isRedirected = false
    let isSeen = changes.indices.contains { audience(at: $0).includes(.spectator) }
    if !isSeen { diff.operation = .cancel }
    return diff
  }

  /// Returns whether the view of `seat` differs from a spectator's.
  func isDistinct(for seat: SeatNumber) -> Bool {
    for index in changes.indices {
      let audience = audience(at: index)
      if audience.includes(seat) != audience.includes(.spectator) { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        if audience.includes(seat), items.contains(where: { $0.visibility == .seat(seat) }) { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }

  /// Whether the journal stores more of the diff than its author sees.
  var hidesFaces: Bool {
    for index in changes.indices {
      if audience(at: index) != .everyone { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        for item in items where item.visibility != .everyone { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }

  /// The number of items that the diff moves, inserts, removes or shows.
  var itemCount: Int {
    var count = 0
    for index in changes.indices {
      switch changes[index] {
      case .moved(let items, _), .removed(let items): count += items.count
      case .inserted(let items, _), .faced(let items): count += items.count
      case .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return count
  }
}
