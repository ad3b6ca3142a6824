import BaizeBot
import BaizeTable

/// Says what a diff did, for someone who sees no more than lay open then: `6♦ from waste to pile/3 on 7♠`.
///
/// It looks at the state twice: before the diff for where things came from, and after it for where they are.
struct ReplayText {
  private let diff: Diff
  /// For each change: where its items were, and what went away.
  private let before: [String]

  init(_ diff: Diff, before state: TableState) {
    self.diff = diff
    before = diff.changes.map { change in
      switch change {
      case .moved(let items, _): Self.origin(of: items, at: state)
      case .removed(let items): Self.names(of: items, at: state) + Self.origin(of: items, at: state)
      default: ""
      }
    }
  }

  /// The line, given the state that the diff has led to.
  func line(after state: TableState) -> String {
    var parts: [String] = []
    for (change, before) in zip(diff.changes, before) { parts.append(part(for: change, before, state)) }
    if diff.isRebased { parts.append("rebased") }
    if diff.isRedirected { parts.append("redirected") }
    return parts.isEmpty ? "changes nothing that is kept" : parts.joined(separator: ", ")
  }

  private func part(for change: Change, _ before: String, _ state: TableState) -> String {
    switch change {
    case .moved(let items, let destination):
      return Self.names(of: items, at: state) + before + Self.place(of: items, destination, at: state)
    case .removed: return "gone: \(before)"
    case .inserted(let items, let destination):
      let ids = ItemList(items.map(\.id))
      return "new: \(Self.names(of: ids, at: state))" + Self.place(of: ids, destination, at: state)
    case .faced, .status, .enabled, .counted, .variables, .seats:
      return Narration.line(
        for: Diff(revision: diff.revision, author: diff.author, sequence: diff.sequence, changes: [change]), at: state)
    }
  }

  // MARK: Parts

  private static let namesMax = 4

  private static func names(of items: ItemList, at state: TableState) -> String {
    if items.count > 1, items.allSatisfy({ state.item($0)?.sight == .nobody }) { return "\(items.count) hidden items" }
    let names = items.prefix(namesMax).map { Narration.name(of: $0, at: state) }.joined(separator: " ")
    return items.count > namesMax ? "\(names) and \(items.count - namesMax) more" : names
  }

  /// ` from waste`, or nothing where the items come from several collections.
  private static func origin(of items: ItemList, at state: TableState) -> String {
    guard let first = items.first, let collection = state.collection(of: first),
      items.allSatisfy({ state.collection(of: $0) == collection })
    else { return "" }
    return " from \(Narration.name(of: collection, at: state))"
  }

  /// ` to pile/3 on 7♠`, ` to doing before #4`.
  private static func place(of items: ItemList, _ destination: Destination, at state: TableState) -> String {
    let there = " to \(Narration.name(of: destination.collection, at: state))"
    switch destination.position {
    case .before(let anchor): return there + " before \(Narration.name(of: anchor, at: state))"
    case .end:
      guard let first = items.first, let offset = state.offset(of: first),
        let below = state.item(at: offset - 1, in: destination.collection)
      else { return there }
      return there + " on \(Narration.name(of: below, at: state))"
    }
  }
}
