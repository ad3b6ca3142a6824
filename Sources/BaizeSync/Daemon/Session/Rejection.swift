import BaizeTable
import BaizeWire

/// The rejection of a connection that may not join a table.
struct Rejection: Error {
  let goodbye: Goodbye

  init(_ goodbye: Goodbye) { self.goodbye = goodbye }

  init(_ reason: GoodbyeReason, _ detail: String) { goodbye = Goodbye(reason, detail: detail) }

  /// The rejection of a hello without a right to join.
  static let invalidInvite = Self(.inviteInvalid, "the table requires an invite, and this is not one")

  init(_ failure: TableTypeFailure) {
    switch failure {
    case .unknownType(let detail): self.init(.unknownType, detail)
    case .badOption(let detail): self.init(.badOption, detail)
    }
  }

  /// Returns the rejection of one more session of an address that has its share of them.
  static func sessions(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .tooManyConnections, detail: "this address has its share of the memory for sessions",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }

  /// Returns the rejection of a hello that a later one of its session has overtaken.
  static func staleHello(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .staleHello, detail: "the session has connected again since then",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }

  /// Returns the rejection while nothing may be written for an address (K9).
  static func share(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .storage, detail: "this address has had as much written as it may within a day",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }

  /// Returns the rejection while nothing can be written: neither a session nor a table can be created.
  static func storage(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .storage, detail: "the daemon cannot write to its disk at the moment",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }
}
