/// A stable code for why an operation was not accepted, such as `RANK_MISMATCH`. Table types may define their own.
public struct Reason: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  init(_ code: String) { rawValue = code }
}

extension Reason {
  // MARK: Not judged: the same operation may be sent again
  /// The base is of another epoch, in the future, or older than the history.
  public static let staleBase = Reason("STALE_BASE")
  /// The session sends more operations per second than allowed.
  public static let rateLimited = Reason("RATE_LIMITED")
  /// The session has more pending operations than allowed.
  public static let tooManyPending = Reason("TOO_MANY_PENDING")
  /// The daemon cannot write to its disk.
  public static let storage = Reason("STORAGE")

  // MARK: Shape
  /// The operation names or inserts no item.
  public static let emptySources = Reason("EMPTY_SOURCES")
  /// The operation names an item twice.
  public static let duplicateSource = Reason("DUPLICATE_SOURCE")
  /// The operation has more items than one operation, or this lift or drop, may have.
  public static let tooManyItems = Reason("TOO_MANY_ITEMS")
  /// A named item, or an anchor, is not on the table.
  public static let unknownItem = Reason("UNKNOWN_ITEM")
  /// No collection has this handle.
  public static let unknownCollection = Reason("UNKNOWN_COLLECTION")
  /// The collection was removed, with the item that opened it.
  public static let collectionGone = Reason("COLLECTION_GONE")
  /// The table type has no such action.
  public static let unknownAction = Reason("UNKNOWN_ACTION")
  /// The anchor is in another collection.
  public static let anchorGone = Reason("ANCHOR_GONE")
  /// An earlier operation of the author's did not put a neighbor of the gap where it is named: the gap is to be named again.
  public static let notPlaced = Reason("NOT_PLACED")
  /// The operation that was to make the item did not make it.
  public static let dependsOnRefused = Reason("DEPENDS_ON_REFUSED")
  /// The item opens a collection that has items, which do not go along.
  public static let notEmpty = Reason("NOT_EMPTY")
  /// The table would exceed its maximum number of items, bytes or collections, or an item its maximum number of attributes.
  public static let tableSize = Reason("TABLE_SIZE")
  /// A text, or a message to the table, is longer than any table accepts.
  public static let textTooLong = Reason("TEXT_TOO_LONG")
  /// Another item on the table has the key that the operation brings, and the table type permits each key once.
  public static let duplicateKey = Reason("DUPLICATE_KEY")
  /// Source and destination have no operation in common, or the table type does not permit this kind of operation.
  public static let operationNotSupported = Reason("OPERATION_NOT_SUPPORTED")

  // MARK: Permission
  /// The author is a spectator, or the action is reserved for the host.
  public static let permissionDenied = Reason("PERMISSION_DENIED")
  /// A collection is disabled.
  public static let containerDisabled = Reason("CONTAINER_DISABLED")
  /// The table has reached a final status.
  public static let gameOver = Reason("GAME_OVER")
  /// The collection belongs to another seat.
  public static let notYourZone = Reason("NOT_YOUR_ZONE")
  /// It is another seat's turn.
  public static let notYourTurn = Reason("NOT_YOUR_TURN")
  /// Another session is dragging the item.
  public static let claimed = Reason("CLAIMED")
  /// The seat does not exist, or is free.
  public static let unknownSeat = Reason("UNKNOWN_SEAT")
  /// No such session is at the table.
  public static let unknownSession = Reason("UNKNOWN_SESSION")

  // MARK: Visibility and lift
  /// A rule would read a face that the author may not see.
  public static let faceHidden = Reason("FACE_HIDDEN")
  /// The item is face down.
  public static let faceDown = Reason("FACE_DOWN")
  /// No item can be taken from this collection, or the item is pinned.
  public static let notReorderable = Reason("NOT_REORDERABLE")
  /// Only the last item of the collection can be taken.
  public static let notTop = Reason("NOT_TOP")
  /// The items are not a run up to the last item, in its order.
  public static let notARun = Reason("NOT_A_RUN")
  /// Others put something on the run since the base.
  public static let stackChanged = Reason("STACK_CHANGED")
  /// The sources are in several collections, which the table type forbids.
  public static let mixedSources = Reason("MIXED_SOURCES")

  // MARK: Drop
  /// The collection accepts nothing.
  public static let destinationClosed = Reason("DESTINATION_CLOSED")
  /// The collection does not accept items at this position.
  public static let positionNotAllowed = Reason("POSITION_NOT_ALLOWED")
  /// The collection is full.
  public static let capacityExceeded = Reason("CAPACITY_EXCEEDED")
  /// The collection accepts none of the item's content types.
  public static let typeNotAccepted = Reason("TYPE_NOT_ACCEPTED")
  /// The item has no representation, and the collection requires a content type.
  public static let noRepresentation = Reason("NO_REPRESENTATION")
  /// The collection accepts no new items, or none from that collection.
  public static let foreignItem = Reason("FOREIGN_ITEM")
  /// The rules forbid the operation without a further reason.
  public static let forbidden = Reason("FORBIDDEN")

  // MARK: Contention
  /// It was made under another seat, and rules or views depend on the seat.
  public static let seatLost = Reason("SEAT_LOST")
  /// It was made before others may have changed what it is about, which nobody remembers, and the first one counts.
  public static let baseForgotten = Reason("BASE_FORGOTTEN")
  /// Another session took or moved an item first.
  public static let contended = Reason("CONTENDED")
  /// Later changes, or what the operation revealed, rule an undo out.
  public static let undoTooLate = Reason("UNDO_TOO_LATE")
}

extension Reason {
  /// Stands for all reasons that table types define, where reasons are counted.
  package static let ofTableType = Reason(rawValue: "TABLE_TYPE")

  /// Whether it is one of Baize's own reasons.
  package var isStandard: Bool { Self.standard.contains(self) }

  private static let standard: Set<Reason> = [
    staleBase, rateLimited, tooManyPending, storage, emptySources, duplicateSource, tooManyItems, unknownItem,
    unknownCollection, collectionGone, notEmpty, unknownAction, anchorGone, notPlaced, dependsOnRefused, tableSize,
    textTooLong,
    duplicateKey,
    operationNotSupported, permissionDenied, containerDisabled, gameOver, notYourZone, notYourTurn, claimed,
    unknownSeat, unknownSession, faceHidden, faceDown, notReorderable, notTop, notARun, stackChanged,
    mixedSources, destinationClosed, positionNotAllowed, capacityExceeded, typeNotAccepted, noRepresentation,
    foreignItem, forbidden, contended, undoTooLate, seatLost, baseForgotten,
  ]
}

/// The reason why an operation was refused, for programs and for people.
public struct Refusal: Error, Hashable, Sendable {
  /// The stable code.
  public var reason: Reason
  /// The path, in the table type's document, of the rule that refused; empty if no rule of the document did.
  public var rule: String
  /// A sentence for people. It reveals nothing that the author may not see.
  public var detail: String

  /// Creates a refusal.
  public init(_ reason: Reason, rule: String = "", detail: String = "") {
    self.reason = reason
    self.rule = rule
    self.detail = detail
  }
}

/// The outcome of judging an operation.
public enum Judgement: Hashable, Sendable {
  /// The operation made one diff, which is applied already.
  case accepted(Diff)
  /// The operation is allowed and changes nothing.
  case unchanged
  /// The operation changes nothing; its number is used up.
  case refused(Refusal)
  /// The operation was not judged; its number is not used up.
  case retry(Refusal)
}
