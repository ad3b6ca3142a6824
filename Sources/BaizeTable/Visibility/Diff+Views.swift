/// The views of a diff: what each seat receives of it, and what only its author or the journal does.
extension Diff {
  /// Returns the part of the diff that `seat` may see.
  package func view(for seat: SeatNumber) -> Diff {
    var view = self
    view.audiences = []
    view.changes = []
    for index in changes.indices where audience(at: index).includes(seat) {
      view.changes.append(changes[index].view(for: seat))
    }
    return view
  }

  /// The diff as members other than its author receive it, at a table whose members have different views. The sequence
  /// number (which counts the author's refused operations) and the requested destination are not for them.
  package var forOthers: Diff {
    var diff = self
    diff.sequence = .zero
    diff.isRebased = false
    diff.isRedirected = false
    if !changes.indices.contains(where: isSeenByOthers) { diff.operation = .cancel }
    return diff
  }

  /// Returns whether others see what a change did, and not only how many items there are then.
  private func isSeenByOthers(_ index: Int) -> Bool {
    if case .counted = changes[index] { return false }
    return audience(at: index).includes(.spectator)
  }

  /// Returns whether the view of `seat` differs from a spectator's.
  package func isDistinct(for seat: SeatNumber) -> Bool {
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
  package var hidesFaces: Bool { hiddenFaceCount > 0 || changes.indices.contains { audience(at: $0) != .everyone } }

  /// The number of faces in it that some viewer may not see.
  package var hiddenFaceCount: Int {
    changes.reduce(0) { count, change in
      switch change {
      case .inserted(let items, _), .faced(let items): count + items.count { $0.visibility != .everyone }
      case .moved, .removed, .status, .enabled, .counted, .variables, .seats: count
      }
    }
  }
}

extension Change {
  fileprivate func view(for seat: SeatNumber) -> Change {
    switch self {
    case .inserted(let items, let destination): .inserted(items.map { $0.view(for: seat) }, destination)
    case .faced(let items): .faced(items.map { $0.view(for: seat) })
    case .moved, .removed, .status, .enabled, .counted, .variables, .seats: self
    }
  }
}

extension Item {
  /// Returns the item as `seat` may see it: without its face if that is hidden from the seat.
  package func view(for seat: SeatNumber) -> Item {
    var view = self
    view.visibility = visibility.includes(seat) ? .everyone : .nobody
    if view.visibility == .nobody { view.face = Face() }
    return view
  }
}
