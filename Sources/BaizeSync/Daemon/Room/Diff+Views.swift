import BaizeTable

extension Diff {
  /// The diff as others than its author receive it where members may see different things. How often the author was refused
  /// before concerns nobody else, and neither does where in its hand it meant something to go.
  var forOthers: Diff {
    var diff = self
    diff.sequence = .zero
    diff.isRebased = false
    diff.isRedirected = false
    let isSeen = changes.indices.contains { audience(at: $0).includes(.spectator) }
    if !isSeen { diff.operation = .cancel }
    return diff
  }

  /// Whether `seat` sees something else than a spectator.
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

  /// Whether the journal keeps more of it than its author sees.
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

  /// The number of items that it moves, makes, removes or shows.
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
