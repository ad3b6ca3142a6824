import BaizeTable
import BaizeWire

/// The rejection of a connection that may not join a table.
struct Rejection: Error {
  let goodbye: Goodbye

  init(_ goodbye: Goodbye) { self.goodbye = goodbye }

  init(_ reason: GoodbyeReason, _ detail: String) { goodbye = Goodbye(reason, detail: detail) }

  init(_ failure: TableTypeFailure) {
    switch failure {
    case .unknownType(let detail): self.init(.unknownType, detail)
    case .badOption(let detail): self.init(.badOption, detail)
    }
  }

  /// Returns the rejection while nothing can be written: neither a session nor a table can be created.
  static func storage(_ limits: SyncLimits) -> Self {
    Self(
      Goodbye(
        .storage, detail: "the daemon cannot write to its disk at the moment",
        retryAfterMilliseconds: limits.connections.returnMilliseconds))
  }
}
