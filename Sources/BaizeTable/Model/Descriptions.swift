// The descriptions of values: short sentences. Text from the wire is escaped and shortened.

extension ItemID: CustomStringConvertible {
  public var description: String {
    if self == .none { return "no item" }
    if isLocal { return "own item \(rawValue & (1 << 53 - 1))" }
    guard isProvisional else { return "item \(rawValue)" }
    return "new item \(provisionalNumber + 1) of operation \(provisionalOperation.rawValue)"
  }
}

extension CollectionHandle: CustomStringConvertible {
  public var description: String { rawValue == 0 ? "no collection" : "collection \(rawValue)" }
}

extension SeatNumber: CustomStringConvertible {
  public var description: String { self == .spectator ? "a spectator" : "seat \(rawValue)" }
}

extension SessionID: CustomStringConvertible {
  public var description: String { self == .daemon ? "the daemon" : "session \(rawValue)" }
}

extension Revision: CustomStringConvertible {
  public var description: String { "revision \(rawValue)" }
}

extension AttributeValue: CustomStringConvertible {
  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text.quotedForPrinting
    }
  }
}

extension Attribute: CustomStringConvertible {
  public var description: String {
    let name = name.printable(lengthMax: String.printedMax)
    return value.map { "\(name) \($0)" } ?? "no \(name)"
  }
}

extension Representation: CustomStringConvertible {
  public var description: String {
    "\(data.count) bytes of \(contentType.printable(lengthMax: String.printedMax))"
  }
}

extension Face: CustomStringConvertible {
  public var description: String {
    let parts = attributes.map(\.description) + representations.map(\.description)
    return parts.isEmpty ? "nothing" : parts.joined(separator: ", ")
  }
}

extension Item: CustomStringConvertible {
  public var description: String {
    "\(id) in \(collection)\(isPinned ? ", pinned" : "")\(aliasOf == .none ? "" : ", alias of \(aliasOf)"): \(visibility == .nobody && face == Face() ? "hidden" : "\(face)")"
  }
}

extension Predecessor: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unspecified: "unspecified"
    case .start: "the start"
    case .item(let item): "\(item)"
    }
  }
}

extension Position: CustomStringConvertible {
  public var description: String {
    switch self {
    case .before(let item): "before \(item)"
    case .end: "at the end"
    }
  }
}

extension Destination: CustomStringConvertible {
  public var description: String {
    switch position {
    case .before(let item): "before \(item) in \(collection)"
    case .end: "to the end of \(collection)"
    }
  }
}

extension Placement: CustomStringConvertible {
  public var description: String { destination.description }
}

extension ReorderDifference: CustomStringConvertible {
  public var description: String { "\(sources.sentence) \(destination)" }
}

extension Change: CustomStringConvertible {
  public var description: String {
    switch self {
    case .moved(let items, let placement): "\(items.sentence) moved \(placement)"
    case .inserted(let items, let placement): "\(ItemList(items.map(\.id)).sentence) added \(placement)"
    case .removed(let items): "\(items.sentence) removed"
    case .faced(let items):
      items.map { $0.visibility == .nobody ? "\($0.id) is hidden" : "\($0.id) shows \($0.face)" }.joined(
        separator: "; ")
    case .status(let status): "the status is \(status.quotedForPrinting)"
    case .enabled(let collection, let isEnabled): "\(collection) \(isEnabled ? "enabled" : "disabled")"
    case .counted(let collection, let count): "\(collection) has \(count) items"
    case .variables(let variables): "variables: \(variables.map(\.description).joined(separator: ", "))"
    case .seats(let seats):
      seats.isEmpty ? "no seat is taken" : "taken: \(seats.map(\.description).joined(separator: ", "))"
    }
  }
}

extension Seat: CustomStringConvertible {
  public var description: String { name.isEmpty ? "\(number)" : "\(number) by \(name.quotedForPrinting)" }
}

extension Diff: CustomStringConvertible {
  public var description: String {
    let notes = (isRebased ? ", rebased" : "") + (isRedirected ? ", redirected" : "")
    let changes = changes.map(\.description).joined(separator: "; ")
    return "\(revision) by \(author)\(notes): \(changes.isEmpty ? "no visible change" : changes)"
  }
}

extension Reason: CustomStringConvertible {
  public var description: String { rawValue.printable(lengthMax: String.printedMax) }
}

extension Refusal: CustomStringConvertible {
  public var description: String {
    let detail = detail.isEmpty ? "" : ": \(detail.printable(lengthMax: String.printedMax))"
    return "\(reason)\(detail)\(rule.isEmpty ? "" : " (\(rule.printable(lengthMax: String.printedMax)))")"
  }
}

extension ItemList {
  /// The items in a sentence: `items 3, 4 and 5`; of many only the first.
  var sentence: String {
    guard count > 1 else { return first.map(\.description) ?? "no item" }
    let shown = prefix(Self.printedMax).map { $0.isProvisional ? "(\($0))" : "\($0.rawValue)" }
    guard count <= Self.printedMax else {
      return "items \(shown.joined(separator: ", ")) and \(count - shown.count) more"
    }
    return "items \(shown.dropLast().joined(separator: ", ")) and \(shown[shown.count - 1])"
  }

  private static var printedMax: Int { 8 }
}

extension String {
  /// The maximum number of Unicode scalars of a text that are printed.
  fileprivate static let printedMax = 256

  /// The text in quotation marks, escaped and shortened.
  fileprivate var quotedForPrinting: String { "'\(printable(lengthMax: Self.printedMax))'" }
}
