/// A reason why a table does not fit another document of its type.
public enum MigrationObstacle: Hashable, Sendable {
  /// The document is that of another type.
  case otherType(String)
  /// An option of the table, with a value that its document does not have by default, is gone.
  case optionGone(String, AttributeValue)
  /// An option no longer has the table's value.
  case optionValue(String, AttributeValue)
  /// The table's options cannot be combined any more.
  case options(String)
  /// A collection with items is gone.
  case collectionGone(String, items: Int)
  /// The items of a collection open other collections, or none any more, or begin to open some.
  case opening(String, items: Int)
  /// The handle of a collection names another one, while sessions are remembered whose operations may be on their way.
  case handle(CollectionHandle, of: String, names: String)
  /// Others may see which items a collection has, or may no longer see it.
  case audience(String, items: Int)
  /// Faces in a collection would become visible to a viewer that may not see them.
  case facesShown(String, items: Int)
  /// Faces in a collection would be hidden from a viewer that may see them.
  case facesHidden(String, items: Int)
  /// Faces that are hidden, or may be, can be larger than the document allows.
  case faceBytes(Int, allowed: Int)
  /// A seat that is taken is gone.
  case seatTaken(SeatNumber, seatsMax: Int)
  /// The table has a status that no ending gives.
  case status(String)
  /// A variable that had a text begins with a number, or the other way round.
  case variable(String)
  /// Items have the same value of the attribute that is the key.
  case keyTaken(String, value: AttributeValue, items: Int)
  /// A collection has aliases, or items that have some, and faces there may be hidden.
  case aliases(String, items: Int)
  /// Items are pinned, and no action unpins them.
  case pinned(items: Int)
}

extension MigrationObstacle: CustomStringConvertible {
  /// A sentence without a full stop, for the operator.
  public var description: String {
    switch self {
    case .otherType(let name): "the document is that of the type '\(name)'"
    case .optionGone(let name, let value): "the option '\(name)', which is \(value.plain), is gone"
    case .optionValue(let name, let value): "the option '\(name)' can no longer be \(value.plain)"
    case .options(let detail): detail
    case .collectionGone(let id, let items): "the collection '\(id)' is gone and has \(Self.count(items))"
    case .opening(let id, let items):
      "the items of '\(id)' would open other collections than they do, and it has \(Self.count(items))"
    case .handle(let handle, let id, let other):
      "the handle \(handle.rawValue) of '\(id)' would be that of '\(other)', and sessions may have operations on their way"
    case .audience(let id, let items):
      "other viewers would know which items '\(id)' has, or some no longer would, and it has \(Self.count(items))"
    case .facesShown(let id, let items): "faces in '\(id)' would be shown to more viewers: \(Self.count(items))"
    case .facesHidden(let id, let items): "faces in '\(id)' would be hidden from some viewers: \(Self.count(items))"
    case .faceBytes(let bytes, let allowed):
      "faces may have \(bytes) bytes, and where faces are hidden \(allowed) are allowed"
    case .seatTaken(let seat, let seatsMax): "seat \(seat.rawValue) is taken, and there are \(seatsMax) seats"
    case .status(let status): "the status is '\(status)', which no ending gives"
    case .variable(let name):
      "the variable '\(name)' is a number where the other document has a text, or the other way round"
    case .keyTaken(let name, let value, let items): "\(items) items have the same key '\(name)': \(value.plain)"
    case .aliases(let id, let items):
      "faces in '\(id)' may be hidden, and it has \(Self.count(items)) with aliases, or that are aliases"
    case .pinned(let items): "\(Self.count(items)) pinned, and no action unpins"
    }
  }

  private static func count(_ items: Int) -> String { items == 1 ? "1 item" : "\(items) items" }
}

extension AttributeValue {
  fileprivate var plain: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): "'\(text.printable())'"
    }
  }
}

/// All reasons why a table does not fit another document, at least one.
public struct MigrationObstacles: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reasons, in the order of rule M2.
  public let all: [MigrationObstacle]

  /// Creates the reasons.
  public init(_ all: [MigrationObstacle]) { self.all = all }

  /// The reasons in one line.
  public var description: String { all.map(\.description).joined(separator: "; ") }
}
