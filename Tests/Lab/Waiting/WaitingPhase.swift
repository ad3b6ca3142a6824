import BaizeTable
import BaizeTransport
import Foundation

/// What strangers do while others ping.
struct WaitingPhase {
  let name: String
  let summary: String
  private let body: (WaitingClients) throws -> Double?

  /// - Parameter body: Returns the duration that it is about, if that is not its own.
  private init(_ name: String, _ summary: String, _ body: @escaping (WaitingClients) throws -> Double?) {
    (self.name, self.summary, self.body) = (name, summary, body)
  }

  /// The first is without strangers.
  static var all: [WaitingPhase] {
    [
      WaitingPhase("normal", "Nothing else.") { _ in
        Thread.sleep(forTimeInterval: 1)
        return nil
      },
      WaitingPhase(
        "load",
        "Connections send \(WaitingClients.sentBytes >> 10) KiB of operations on \(TableLimits.itemsPerOperationMax) items each "
          + "while their table is loaded from the journal."
      ) {
        try $0.talk(WaitingClients.table("stored", on: 0))
        return nil
      },
      WaitingPhase("create", "The same while their table is created.") {
        try $0.talk(WaitingClients.table("talked", on: 0))
        return nil
      },
      WaitingPhase("hellos", "Many connections join a large table that is being loaded.") {
        try $0.join(WaitingClients.table("crowded", on: 0))
        return nil
      },
      WaitingPhase("tables", "Large tables are created, and a client creates a small one meanwhile.") {
        try $0.create()
      },
      WaitingPhase("attributes", "The largest frames of attributes, from players and spectators.") {
        try $0.sendAttributes()
        return nil
      },
      WaitingPhase("hashes", "Moves of scattered items in a large table, each with a ping for the hash.") {
        try $0.askForHashes(WaitingClients.table("crowded", on: 0))
        return nil
      },
    ]
  }

  /// - Returns: The duration in seconds.
  func perform(_ clients: WaitingClients) throws -> Double {
    let start = MonotonicClock.now()
    return try body(clients) ?? Measure.milliseconds(since: start) / 1e3
  }
}
