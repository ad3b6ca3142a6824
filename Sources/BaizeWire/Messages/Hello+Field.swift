import BaizeTable

extension Hello {
  /// A text of a hello. Each has a maximum length; a longer one is refused with a goodbye.
  public enum Field: Hashable, Sendable, CaseIterable {
    /// ``Hello/table``.
    case table
    /// ``Hello/tableType``.
    case tableType
    /// ``Hello/name``.
    case name
    /// ``Hello/invite``.
    case invite
    /// ``Hello/credential``.
    case credential
    /// ``Hello/sessionName``.
    case sessionName
    /// ``Hello/ticket``.
    case ticket
    /// ``Hello/signedToken``.
    case signedToken
  }

  /// The first text that is longer than a daemon accepts; `nil` if none is.
  public var overlongField: Field? { Field.allCases.first { $0.length(in: self) > $0.bytesMax } }
}

extension Hello.Field {
  /// The maximum length in bytes of UTF-8.
  public var bytesMax: Int {
    switch self {
    case .table: WireLimits.tableBytesMax
    case .tableType: WireLimits.tableTypeBytesMax
    case .name: WireLimits.nameBytesMax
    case .invite: WireLimits.inviteBytesMax
    case .credential: WireLimits.credentialBytes
    case .sessionName: WireLimits.sessionNameBytesMax
    case .ticket: WireLimits.ticketBytesMax
    case .signedToken: WireLimits.signedTokenBytesMax
    }
  }

  /// The reason of the goodbye that answers a longer one.
  public var reason: GoodbyeReason { excess.goodbyeReason }

  /// A sentence for people about a longer one.
  package var sentence: String { "\(excess): at most \(bytesMax) bytes are allowed" }

  /// The error of a longer text, which has the daemon's reason.
  package var excess: DecodeError {
    switch self {
    case .table: .tableTooLong
    case .tableType: .tableTypeTooLong
    case .name: .nameTooLong
    case .invite: .inviteTooLong
    case .credential: .credentialTooLong
    case .sessionName: .sessionNameTooLong
    case .ticket: .ticketTooLong
    case .signedToken: .signedTokenTooLong
    }
  }

  /// Returns the field's length in bytes.
  package func length(in hello: Hello) -> Int {
    switch self {
    case .table: hello.table.utf8.count
    case .tableType: hello.tableType.utf8.count
    case .name: hello.name.utf8.count
    case .invite: hello.invite.utf8.count
    case .credential: hello.credential.count
    case .sessionName: hello.sessionName.count
    case .ticket: hello.ticket.count
    case .signedToken: hello.signedToken.utf8.count
    }
  }
}
