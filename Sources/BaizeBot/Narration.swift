public import BaizeSync
public import BaizeTable

/// Describes in short lines what happens at a table: `6♦ from waste to pile/3 on 7♠`.
///
/// Items are named by their visible faces; hidden items stay unnamed. Text from participants is shortened and escaped, so that a
/// terminal may print it.
public enum Narration {
  // MARK: Operations

  /// Describes an operation, given the state that its author sees.
  public static func line(for kind: TableOperation.Kind, at state: TableState) -> String {
    switch kind {
    case .reorder(let difference, let suggested):
      let verbs: [DropOperation.Set: String] = [.copy: "copy of ", .alias: "alias of ", .delete: "delete "]
      let verb = verbs[suggested] ?? ""
      return verb + names(of: difference.sources, at: state) + origin(of: difference.sources, at: state)
        + target(of: difference.destination, leaving: difference.sources, at: state)
    case .insert(let items, let destination):
      return "new: " + list(items.map { name(of: $0.face, state.type) ?? "an item" })
        + target(of: destination, leaving: [], at: state)
    case .remove(let items):
      return "remove " + names(of: items, at: state) + origin(of: items, at: state)
    case .update(let item, let attributes, _):
      return "update \(name(of: item, at: state)): " + list(attributes.map(text))
    case .perform(let action, _, _):
      return short(action)
    case .undo(let sequence): return "undo operation \(sequence.rawValue)"
    case .unknown: return "an unknown operation"
    case .invalid: return "an operation beyond the limits"
    }
  }

  // MARK: Answers

  /// Describes a refusal.
  public static func line(for refusal: Refusal) -> String {
    var line = "refused: \(short(refusal.reason.rawValue))"
    if !refusal.rule.isEmpty { line += " by \(short(refusal.rule))" }
    if !refusal.detail.isEmpty { line += ": \(short(refusal.detail))" }
    return line
  }

  /// Describes the answer to an operation, given the state after the answer.
  public static func line(for answer: Answer, at state: TableState) -> String {
    switch answer {
    case .accepted(let diff): line(for: diff, at: state)
    case .acceptedBefore(let revision): "accepted before, at revision \(revision.rawValue)"
    case .unchanged: "changes nothing"
    case .invited: "a new invite"
    case .refused(let refusal): line(for: refusal)
    case .unknown: "the session ended before the answer"
    }
  }

  /// Describes a diff, given the state after it.
  public static func line(for diff: Diff, at state: TableState) -> String {
    var parts: [String] = []
    for change in diff.changes { parts.append(part(for: change, at: state)) }
    if diff.isRebased { parts.append("rebased") }
    if diff.isRedirected { parts.append("redirected") }
    return parts.isEmpty ? "no visible change" : parts.joined(separator: ", ")
  }

  private static func part(for change: Change, at state: TableState) -> String {
    switch change {
    case .moved(let items, let destination):
      "\(names(of: items, at: state)) to \(name(of: destination.collection, at: state))"
    case .inserted(let items, let destination):
      "\(count(items.count, "new item")) in \(name(of: destination.collection, at: state))"
    case .removed(let items): "\(count(items.count, "item")) removed"
    case .faced(let items):
      "shows "
        + list(
          items.map { item in
            item.visibility == .nobody ? hidden : name(of: item.face, state.type) ?? "item \(item.id.rawValue)"
          })
    case .status(let status): short(status)
    case .enabled(let collection, let isEnabled):
      "\(name(of: collection, at: state)) \(isEnabled ? "enabled" : "disabled")"
    case .counted(let collection, let number): "\(name(of: collection, at: state)) holds \(count(number, "item"))"
    case .variables(let variables): list(variables.map(text))
    case .seats(let seats): "seats: " + (seats.isEmpty ? "none" : list(seats.map { short($0.name) }))
    }
  }

  // MARK: Names

  /// Returns the name of an item: its card, title or first attribute, as the table type's `show` says, or else its id.
  public static func name(of item: ItemID, at state: TableState) -> String {
    guard let known = state.item(item) else { return "item \(item.rawValue)" }
    return known.visibility == .nobody ? hidden : name(of: known.face, state.type) ?? "item \(item.rawValue)"
  }

  /// Returns the name of a collection: that of the item that opens it, if one does.
  public static func name(of collection: CollectionHandle, at state: TableState) -> String {
    guard state.isKnown(collection) else { return "collection \(collection.rawValue)" }
    let opener = state.opener(of: collection)
    if opener != .none { return name(of: opener, at: state) }
    return short(state.rules(of: collection).id)
  }

  private static let hidden = "a hidden item"

  /// Returns what is on a card's face, the title, or else the first attribute.
  private static func name(of face: Face, _ type: TableType) -> String? {
    if let card = type.appearance.cardName(of: face) { return short(card) }
    if let title = type.appearance.title(of: face) ?? face["title"] ?? face["name"] ?? face["text"] {
      return self.text(title)
    }
    return face.attributes.first.map(text)
  }

  private static func text(_ title: AttributeValue) -> String {
    switch title {
    case .number(let number): "#\(number)"
    case .text(let text): short(text)
    }
  }

  private static func text(_ attribute: Attribute) -> String {
    switch attribute.value {
    case .number(let number): "\(short(attribute.name))=\(number)"
    case .text(let text): "\(short(attribute.name))=\(short(text))"
    case nil: "no \(short(attribute.name))"
    }
  }

  private static func names(of items: ItemList, at state: TableState) -> String {
    items.isEmpty ? "nothing" : list(items.prefix(namesMax + 1).map { name(of: $0, at: state) }, of: items.count)
  }

  /// Returns ` from waste`; empty if the items are in several collections.
  private static func origin(of items: ItemList, at state: TableState) -> String {
    guard let first = items.first, let collection = state.collection(of: first),
      items.prefix(namesMax).allSatisfy({ state.collection(of: $0) == collection })
    else { return "" }
    return " from \(name(of: collection, at: state))"
  }

  /// Returns ` to pile/3 on 7♠` or ` to doing before #4`.
  private static func target(of destination: Destination, leaving: ItemList, at state: TableState) -> String {
    let target = " to \(name(of: destination.collection, at: state))"
    switch destination.position {
    case .before(let anchor): return target + " before \(name(of: anchor, at: state))"
    case .end:
      guard let last = state.lastItem(in: destination.collection), !leaving.contains(last) else { return target }
      return target + " on \(name(of: last, at: state))"
    }
  }

  // MARK: Text

  private static let namesMax = 4
  private static let lengthMax = 60

  private static func count(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  private static func list(_ names: [String], of total: Int? = nil) -> String {
    let shown = names.prefix(namesMax).joined(separator: " ")
    let rest = (total ?? names.count) - min(names.count, namesMax)
    return rest > 0 ? shown + " and \(rest) more" : shown
  }

  private static func short(_ text: String) -> String { text.printable(lengthMax: lengthMax) }
}
