/// What a diff says to whom: who receives the author's diff, who another one, and how much of it nobody else may see.
extension Diff {
  /// The diff as others than its author receive it where members may see different things. How often the author was refused
  /// before concerns nobody else, and neither does where in its hand it meant something to go.
  package var forOthers: Diff {
    var diff = self
    diff.sequence = .zero
    diff.isRebased = false
    diff.isRedirected = false
    let isSeen = changes.indices.contains { audience(at: $0).includes(.spectator) }
    if !isSeen { diff.operation = .cancel }
    return diff
  }

  /// Whether `seat` sees something else than a spectator.
  package func isDistinct(for seat: SeatNumber) -> Bool {
    for index in changes.indices {
      let audience = audience(at: index)
      if audience.includes(seat) != audience.includes(.spectator) { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        if audience.includes(seat), items.contains(where: { $0.sight == .seat(seat) }) { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }

  /// Whether the journal keeps more of it than its author sees.
  package var hidesFaces: Bool {
    for index in changes.indices {
      if audience(at: index) != .everyone { return true }
      switch changes[index] {
      case .inserted(let items, _), .faced(let items):
        for item in items where item.sight != .everyone { return true }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: break
      }
    }
    return false
  }
}
