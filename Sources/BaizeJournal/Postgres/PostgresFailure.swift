#if PostgreSQL
  internal import BaizeSync
  internal import CPostgres

  /// A failure of a connection or of a transaction.
  struct PostgresFailure: Error {
    enum Kind {
      /// There is no connection, and nothing was sent.
      case connection
      /// The connection ended before the answer: the transaction may be committed or not.
      case broken
      /// The transaction was rolled back.
      case rolledBack
    }

    let kind: Kind
    /// What the server said, in one line.
    let message: String
    /// The SQLSTATE; empty if it is not the server's error.
    let code: String

    init(_ kind: Kind, _ message: String, code: String = "") {
      (self.kind, self.message, self.code) = (kind, message, code)
    }

    /// Reads the error in a result.
    init(_ result: OpaquePointer) {
      let severity = PQresultErrorField(result, Self.severityField).map { String(cString: $0) }
      let code = PQresultErrorField(result, Self.codeField).map { String(cString: $0) } ?? ""
      let message = PQresultErrorMessage(result).map { Self.line(String(cString: $0)) } ?? "no answer"
      // Worse ends the server's process, which may have committed before.
      self.init(severity == "ERROR" ? .rolledBack : .broken, message, code: code)
    }

    /// The fields of an error, by libpq's letters.
    static let codeField = Int32(UInt8(ascii: "C"))
    private static let severityField = Int32(UInt8(ascii: "V"))

    /// Returns a message of several lines as one.
    static func line(_ text: String) -> String {
      text.split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: "; ")
    }

    // MARK: As an error of the journal

    static let name = "the journal in PostgreSQL"

    /// The failure of opening.
    var atOpening: JournalError { JournalError(.unusable, "\(Self.name) cannot be opened: \(message)\(advice)") }

    /// The failure of what was sent later.
    var journalError: JournalError {
      switch kind {
      case .connection, .broken: JournalError(.unreachable, "\(Self.name) does not answer: \(message)\(advice)")
      case .rolledBack:
        switch code.prefix(2) {
        // Data, constraints and syntax: what is stored is not what this daemon has stored.
        case "22", "23", "42": JournalError(.corrupt, "\(Self.name) is damaged: \(message)\(advice)")
        case "54": JournalError(.tooLarge, "\(Self.name) has no room for a row: \(message)")
        case "40": JournalError(.unreachable, "\(Self.name) does not commit: \(message)")
        case _: JournalError(.storage, "\(Self.name) cannot be written: \(message)\(advice)")
        }
      }
    }

    /// What the operator can do, where the server's words do not say.
    private var advice: String {
      switch code {
      case "26000", "42P05": "; a pooler in between must keep a session for a connection (session mode)"
      case "42501": "; the role needs the right to create tables in the first schema of its search_path"
      case "53100": "; the disk of the server is full"
      default:
        message.contains("no password supplied") ? "; it is read from ~/.pgpass or the file PGPASSFILE names" : ""
      }
    }
  }
#endif
