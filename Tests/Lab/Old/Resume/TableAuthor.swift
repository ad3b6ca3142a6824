import BaizeDriver
import BaizeLaboratory
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWorkload

/// A player at several tables that makes revisions for others to miss.
struct TableAuthor {
  private let players: [BlockingPlayer]
  private var random: RandomSource

  /// Joins tables, or creates them.
  init(_ tables: [String], type: String, at address: SocketAddress, seed: UInt64) throws {
    random = RandomSource(seed: seed)
    players = try tables.map { try BlockingPlayer(address, table: $0, type: type, name: "author") }
  }

  /// The revision of each table.
  var revisions: [Revision] { players.map(Self.revision) }

  private static func revision(of player: BlockingPlayer) -> Revision {
    player.machine.replica?.confirmedRevision ?? .zero
  }

  /// Inserts items at the end of each table's first collection.
  func insert(_ items: [NewItem]) throws {
    for start in stride(from: 0, to: items.count, by: Self.itemsPerOperation) {
      let part = Array(items[start..<min(items.count, start + Self.itemsPerOperation)])
      for player in players { try submit(.insert(part, .end(of: CollectionHandle(rawValue: 1))), player) }
    }
  }

  private static let itemsPerOperation = 100

  /// Makes `times` revisions of each table by moves of one item.
  mutating func move(times: UInt64) throws {
    for player in players {
      let target = Self.revision(of: player).rawValue + times
      // A move that changes nothing makes no revision.
      while Self.revision(of: player).rawValue < target {
        guard let kind = player.machine.replica?.state.anyMove(&random, not: []) else { return }
        try submit(kind, player)
      }
    }
  }

  private func submit(_ kind: TableOperation.Kind, _ player: BlockingPlayer) throws {
    player.submit(kind)
    guard try player.read(until: { $0.machine.replica?.pending.isEmpty == true }) else {
      throw RunFailure("the author got no answer")
    }
  }
}
