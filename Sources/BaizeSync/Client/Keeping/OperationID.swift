public import BaizeTable

/// An app's own name for an operation, such as a UUID's text, by which it asks after a relaunch what became of it.
///
/// Within a session store an id is used once: an operation with an id that the store knows is refused `OPERATION_ID_USED`, so
/// that an app that does not know whether it submitted something can submit it again. At most
/// `ClientLimits.operationIDBytesMax` bytes.
public struct OperationID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
  public let rawValue: String

  /// Creates an id from any text. One that is empty or too long is refused when an operation is submitted with it.
  public init(rawValue: String) { self.rawValue = rawValue }

  public init(stringLiteral text: String) { rawValue = text }

  public var description: String { rawValue }

  var isValid: Bool { !rawValue.isEmpty && rawValue.utf8.count <= ClientLimits.operationIDBytesMax }

  /// Returns an id of 128 random bits, for an operation that its app gave none.
  static func random(_ random: inout RandomSource) -> OperationID {
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return OperationID(rawValue: digits(random.next()) + digits(random.next()))
  }
}

extension Reason {
  /// An operation with this id was submitted before. Only the client itself refuses for this reason.
  public static let operationIDUsed = Reason(rawValue: "OPERATION_ID_USED")
  /// The operation's id is empty or too long. Only the client itself refuses for this reason.
  public static let badOperationID = Reason(rawValue: "BAD_OPERATION_ID")
}

/// The status of an operation, as a session store knows it.
public enum OperationStatus: Hashable, Sendable {
  /// The operation is not acknowledged: it waits to be sent, or its answer is on the way.
  case pending
  /// The operation was accepted as this revision; `items` are those that it made, in order, 0 for one that was not accepted.
  /// The revision is zero if the daemon no longer knew it.
  case accepted(Revision, items: [ItemID])
  /// The operation changed nothing.
  case unchanged
  /// The rules refused the operation.
  case refused(Refusal)
  /// The session ended before the answer: the operation may have had its effect, and is never sent again by itself.
  case unknown
}

extension OperationStatus {
  init(_ answered: Answered) {
    self =
      switch answered.answer {
      case .accepted(let diff): .accepted(diff.revision, items: Array(diff.minted))
      case .acceptedBefore(let revision): .accepted(revision, items: Array(answered.minted))
      case .unchanged, .invited: .unchanged
      case .refused(let refusal): .refused(refusal)
      case .unknown: .unknown
      }
  }

  /// The number of items that the operation made.
  var itemCount: Int {
    if case .accepted(_, let items) = self { items.count } else { 0 }
  }
}
