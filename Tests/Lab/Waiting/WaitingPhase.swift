import BaizeTable
import Foundation

/// What strangers do while others ping.
struct WaitingPhase {
  let name: String
  let summary: String
  let perform: (WaitingClients, Lab) throws -> Void

  /// The first is without strangers.
  static var all: [Self] {
    let sent = "\(WaitingClients.sentBytes >> 10) KiB of operations on \(TableLimits.itemsPerOperationMax) items each"
    return [
      Self(name: "normal", summary: "Nothing else.") { _, _ in Thread.sleep(forTimeInterval: 1) },
      Self(name: "load", summary: "Connections send \(sent) while their table is loaded from the journal.") {
        clients, _ in
        try clients.talk(WaitingClients.table("stored", on: 0))
      },
      Self(name: "create", summary: "The same while their table is created.") { clients, _ in
        try clients.talk(WaitingClients.table("talked", on: 0))
      },
      Self(name: "hellos", summary: "Many connections join a large table that is being loaded.") { clients, _ in
        try clients.join(WaitingClients.table("crowded", on: 0))
      },
      Self(name: "tables", summary: "Large tables are created, and a client creates a small one meanwhile.") {
        clients, lab in lab.add("until the small table is created", [try clients.create()], "ms")
      },
      Self(name: "attributes", summary: "The largest frames of attributes, from players and spectators.") {
        clients, _ in
        try clients.sendAttributes()
      },
      Self(name: "hashes", summary: "Moves of scattered items in a large table, each with a ping for the hash.") {
        clients, _ in try clients.askForHashes(WaitingClients.table("crowded", on: 0))
      },
    ]
  }
}
