/// A failure of a journal.
public struct JournalError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Kind: Hashable, Sendable {
    /// The disk is full or fails. It may recover.
    case storage
    /// The stored data cannot be read, or is inconsistent.
    case corrupt
    /// The storage does not answer, so that nobody knows whether the last commit is durable. The same writes are committed again
    /// when it does.
    case unreachable
    /// Another daemon has taken the journal over. Nothing more is written.
    case superseded
    /// Another node of the group has taken the journal over. Nothing more is written; a later start waits for it again.
    case leaseLost
    /// The daemon was stopped while it waited for the journal.
    case cancelled
    /// There is no room in memory for what is stored.
    case tooLarge
    /// The file is not a journal, has another format, is in use, or cannot be opened. It was not changed.
    case unusable
  }

  public let kind: Kind
  /// A sentence for the operator.
  public let description: String

  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
