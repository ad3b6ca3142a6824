import BaizeBot
import BaizeTable

/// Describes a diff as a spectator saw it: `6♦ from waste to pile/3 on 7♠`.
///
/// It reads the state before the diff for the origins of items, and the state after it for their destinations.
struct ReplayText {
  private let diff: Diff
  /// For each change, the origin of its items, or the names of removed ones.
  private let before: [String]

  init(_ diff: Diff, before state: TableState) {
    self.diff = diff
    before = diff.changes.map { change in
      switch change {
      case .moved(let items, _): Self.origin(of: items, at: state)
      case .removed(let items): Self.names(of: items, at: state) + Self.origin(of: items, at: state)
      case .inserted, .faced, .status, .enabled, .counted, .variables, .seats: ""
      }
    }
  }

  /// Returns the description, given the state after the diff.
  func line(after state: TableState) -> String {
    var parts: [String] = []
    for (change, before) in zip(diff.changes, before) { parts.append(part(for: change, before, state)) }
    if diff.isRebased { parts.append("rebased") }
    if diff.isRedirected { parts.append("redirected") }
    return parts.isEmpty ? "no visible change" : parts.joined(separator: ", ")
  }

  private func part(for change: Change, _ before: String, _ state: TableState) -> String {
    switch change {
    case .moved(let items, let placement):
      return Self.names(of: items, at: state) + before + Self.target(of: items, placement, at: state)
    case .removed: return "removed: \(before)"
    case .inserted(let items, let placement):
      let ids = ItemList(items.map(\.id))
      return "new: \(Self.names(of: ids, at: state))" + Self.target(of: ids, placement, at: state)
    case .faced, .status, .enabled, .counted, .variables, .seats:
      return Narration.line(
        for: Diff(revision: diff.revision, author: diff.author, sequence: diff.sequence, changes: [change]), at: state)
    }
  }

  // MARK: Parts

  private static let namesMax = 4

  private static func names(of items: ItemList, at state: TableState) -> String {
    if items.count > 1, items.allSatisfy({ state.item($0)?.visibility == .nobody }) {
      return "\(items.count) hidden items"
    }
    let names = items.prefix(namesMax).map { Narration.name(of: $0, at: state) }.joined(separator: " ")
    return items.count > namesMax ? "\(names) and \(items.count - namesMax) more" : names
  }

  /// Returns ` from waste`; empty if the items come from several collections.
  private static func origin(of items: ItemList, at state: TableState) -> String {
    guard let first = items.first, let collection = state.collection(of: first),
      items.allSatisfy({ state.collection(of: $0) == collection })
    else { return "" }
    return " from \(Narration.name(of: collection, at: state))"
  }

  /// Returns ` to pile/3 on 7♠` or ` to doing before #4`.
  private static func target(of items: ItemList, _ placement: Placement, at state: TableState) -> String {
    let target = " to \(Narration.name(of: placement.collection, at: state))"
    switch placement.position {
    case .before(let anchor): return target + " before \(Narration.name(of: anchor, at: state))"
    case .end:
      guard let first = items.first, let offset = state.offset(of: first),
        let below = state.item(at: offset - 1, in: placement.collection)
      else { return target }
      return target + " on \(Narration.name(of: below, at: state))"
    }
  }
}
