public import BaizeTable
public import BaizeWire

/// The tables that a signed token names: one by its name, or all that begin alike (J23).
public struct TablePattern: Hashable, Sendable {
  private let prefix: String
  private let isWhole: Bool

  /// Parses `board-42`, `team7-*` or `*`.
  ///
  /// - Returns: `nil` if no name of a table can match, or if there is a `*` that is not at the end.
  public init?(parsing text: String) {
    isWhole = !text.hasSuffix("*")
    prefix = isWhole ? text : String(text.dropLast())
    guard prefix.isEmpty ? !isWhole : ShardMachine.isTableName(prefix) else { return nil }
  }

  /// Returns whether a table is among these.
  public func matches(_ table: String) -> Bool {
    isWhole ? table.utf8.elementsEqual(prefix.utf8) : table.utf8.starts(with: prefix.utf8)
  }
}

/// The rights that a signed token gives the person who presents it (J23).
public struct TokenRights: Hashable, Sendable {
  /// The issuer and the subject: together they name the person.
  public var issuer: String
  public var subject: String
  public var tables: [TablePattern]
  /// The highest role that the person may have.
  public var role: Role
  /// The seat that the person takes at these tables; `nil` for any.
  public var seat: SeatNumber?
  /// The name that others are shown, instead of the one that the client says; `nil` for that one.
  public var name: String?
  /// The token's own id, by which it can be revoked; `nil` if it has none.
  public var tokenID: String?

  /// Creates rights.
  public init(
    issuer: String, subject: String, tables: [TablePattern], role: Role, seat: SeatNumber? = nil, name: String? = nil,
    tokenID: String? = nil
  ) {
    (self.issuer, self.subject, self.tables, self.role, self.seat) = (issuer, subject, tables, role, seat)
    (self.name, self.tokenID) = (name, tokenID)
  }

  var isViewer: Bool { role == .spectator }

  /// What stands for the person's credential. No client can send it: it is longer than a credential.
  var credential: [UInt8] {
    let issuer = Array(issuer.utf8)
    return Array("a person whom a signed token names, ".utf8) + Array("\(issuer.count) ".utf8) + issuer
      + Array(subject.utf8)
  }

  /// Returns whether the person may come to a table.
  public func admits(to table: String) -> Bool { tables.contains { $0.matches(table) } }

  /// Returns whether other rights are the same person's.
  func isPerson(of other: TokenRights) -> Bool {
    issuer.hasBytes(of: other.issuer) && subject.hasBytes(of: other.subject)
  }

  /// Returns whether a member with these rights is at a table what one with others is.
  func isSame(as other: TokenRights) -> Bool {
    role == other.role && seat == other.seat && (name ?? "").hasBytes(of: other.name ?? "")
  }

  /// Checks that tables of a type have the seat.
  func checkSeat(of type: TableType) throws(Rejection) {
    guard let seat, !(1...UInt32(type.seatsMax)).contains(seat.rawValue) else { return }
    throw Rejection(
      .tokenRefused, "the signed token names seat \(seat.rawValue), and the table has \(type.seatsMax) seats")
  }
}
