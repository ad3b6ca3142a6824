import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A table `hands` with the owner of private things in seat 1, another player in seat 2, and a spectator.
class HandsTable {
  let daemon: Daemon
  let owner: Peer
  let other: Peer
  let spectator: Peer

  init(_ limit: (inout SyncLimits) -> Void) {
    daemon = Daemon(limit)
    owner = Peer(daemon, type: "hands", name: "owner")
    other = Peer(daemon, type: "hands", name: "other")
    spectator = Peer(daemon, type: "hands", name: "spectator", role: .spectator)
    receive()
  }

  /// With seats that are kept for the grace time only.
  convenience init() { self.init { $0.sessions.seatKeptSecondsMax = 0 } }

  var all: [Peer] { [owner, other, spectator] }

  func receive() { for peer in all { peer.receive() } }

  func handle(_ name: String) -> CollectionHandle { daemon.state.type.handle(of: name) ?? .none }

  /// The items of a collection at the daemon.
  func items(_ name: String) -> [ItemID] { daemon.state.itemIDs(in: handle(name)) }

  func move(
    _ items: [ItemID], to name: String, before anchor: ItemID = .none, suggested: DropOperation.Set = []
  ) -> TableOperation.Kind {
    let destination = Destination(collection: handle(name), position: Position(anchor: anchor))
    return .move(ItemList(items), to: destination, suggested: suggested)
  }
}
