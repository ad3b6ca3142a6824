/// A stable code that says why an operation was not accepted, such as `RANK_MISMATCH`. Table types may bring their own.
public struct Reason: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }
  init(_ code: String) { rawValue = code }
}

extension Reason {
  // Not judged: the same operation may come again.
  public static let staleBase = Reason("STALE_BASE")
  public static let rateLimited = Reason("RATE_LIMITED")
  public static let tooManyPending = Reason("TOO_MANY_PENDING")
  public static let storage = Reason("STORAGE")

  // Shape.
  public static let emptySources = Reason("EMPTY_SOURCES")
  public static let duplicateSource = Reason("DUPLICATE_SOURCE")
  public static let tooManyItems = Reason("TOO_MANY_ITEMS")
  public static let unknownItem = Reason("UNKNOWN_ITEM")
  public static let unknownCollection = Reason("UNKNOWN_COLLECTION")
  public static let unknownAction = Reason("UNKNOWN_ACTION")
  public static let anchorGone = Reason("ANCHOR_GONE")
  public static let dependsOnRefused = Reason("DEPENDS_ON_REFUSED")
  public static let tableSize = Reason("TABLE_SIZE")
  public static let operationNotSupported = Reason("OPERATION_NOT_SUPPORTED")

  // Standing.
  public static let permissionDenied = Reason("PERMISSION_DENIED")
  public static let containerDisabled = Reason("CONTAINER_DISABLED")
  public static let gameOver = Reason("GAME_OVER")
  public static let notYourZone = Reason("NOT_YOUR_ZONE")
  public static let notYourTurn = Reason("NOT_YOUR_TURN")
  public static let claimed = Reason("CLAIMED")
  public static let unknownSeat = Reason("UNKNOWN_SEAT")
  public static let unknownSession = Reason("UNKNOWN_SESSION")

  // Sight and lift.
  public static let faceHidden = Reason("FACE_HIDDEN")
  public static let faceDown = Reason("FACE_DOWN")
  public static let notReorderable = Reason("NOT_REORDERABLE")
  public static let notTop = Reason("NOT_TOP")
  public static let notARun = Reason("NOT_A_RUN")
  public static let stackChanged = Reason("STACK_CHANGED")
  public static let mixedSources = Reason("MIXED_SOURCES")

  // Drop.
  public static let destinationClosed = Reason("DESTINATION_CLOSED")
  public static let positionNotAllowed = Reason("POSITION_NOT_ALLOWED")
  public static let capacityExceeded = Reason("CAPACITY_EXCEEDED")
  public static let typeNotAccepted = Reason("TYPE_NOT_ACCEPTED")
  public static let noRepresentation = Reason("NO_REPRESENTATION")
  public static let foreignItem = Reason("FOREIGN_ITEM")
  public static let forbidden = Reason("FORBIDDEN")

  // Contention.
  public static let contended = Reason("CONTENDED")
  public static let undoTooLate = Reason("UNDO_TOO_LATE")
}

/// Why an operation was refused, for programs and for people.
public struct Refusal: Error, Hashable, Sendable {
  public var reason: Reason
  /// The path into the table type's document of the rule that refused; empty where no rule was asked.
  public var rule: String
  /// A sentence for people. It says nothing that the author may not see.
  public var detail: String

  public init(_ reason: Reason, rule: String = "", detail: String = "") {
    self.reason = reason
    self.rule = rule
    self.detail = detail
  }
}

/// The answer to an operation that was judged now (an answer given before is the session's business).
public enum Judgement: Hashable, Sendable {
  /// One diff, which is applied already.
  case accepted(Diff)
  /// Allowed, and it makes no difference.
  case unchanged
  case refused(Refusal)
  /// Not judged; the number is not used up.
  case retry(Refusal)
}
