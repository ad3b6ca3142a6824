import BaizeSimulator
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// Y1–Y8: items that stand for others, between clients, the daemon and its journal.
@Suite struct AliasTests {
  private let daemon = Daemon()

  private static let (left, right, row) = (
    CollectionHandle(rawValue: 1), CollectionHandle(rawValue: 2), CollectionHandle(rawValue: 4)
  )

  private static func alias(_ item: ItemID, to collection: CollectionHandle = right) -> TableOperation.Kind {
    .move([item], to: .end(of: collection), suggested: .alias)
  }

  private static func note(_ item: ItemID, _ note: Int64) -> TableOperation.Kind {
    .update(item, attributes: [Attribute("note", note)], representations: [])
  }

  @Test func `I10: an alias is shown at once, changes with its item, and keeps to it when the answer names it`() throws
  {
    let (one, two) = (Host(daemon, type: "shortcuts"), Host(daemon, type: ""))
    one.submit(.insert([NewItem(attributes: [Attribute("number", 99)])], .end(of: Self.left)))
    let item = try #require(one.state?.lastItem(in: Self.left))
    one.submit(Self.alias(item))
    let shown = try #require(one.state?.lastItem(in: Self.right))
    #expect(one.state?.item(shown)?.aliasOf == item)
    one.submit(Self.note(shown, 5))
    for collection in [Self.left, Self.right] {
      let last = try #require(one.state?.items(in: collection, from: 0, limit: .max).last)
      #expect(last.face["note"] == .number(5) && last.face["number"] == .number(99))
    }
    for host in [one, two, one, two] { host.receive() }
    #expect(one.isConverged && two.isConverged && daemon.state.aliasCount == 1)
    #expect(one.answers.map(\.reason) == [nil, nil, nil] && two.state?.aliasCount == 1)
    let alias = try #require(daemon.state.items(in: Self.right, from: 0, limit: .max).last)
    #expect(alias.aliasOf == daemon.state.lastItem(in: Self.left) && alias.face["note"] == .number(5))
    // Another removes the item: the alias goes in every view.
    two.submit(.remove([alias.aliasOf]))
    #expect(two.state?.contains(alias.id) == false)
    for host in [two, one, two] { host.receive() }
    #expect(one.isConverged && two.isConverged && daemon.state.aliasCount == 0)
  }

  @Test func `I3: an alias of what was removed meanwhile is refused, and leaves no trace`() throws {
    let (one, two) = (Host(daemon, type: "shortcuts"), Host(daemon, type: ""))
    let item = try #require(daemon.state.lastItem(in: Self.left))
    two.submit(.remove([item]))
    one.submit(Self.alias(item))
    let shown = try #require(one.state?.lastItem(in: Self.right))
    one.submit(.move([shown], to: .end(of: Self.left)))
    #expect(one.state?.aliasCount == 1)
    for host in [two, one, two, one] { host.receive() }
    // Items that others took are left out, and there is no other.
    #expect(one.answers.map(\.reason) == [.contended, .dependsOnRefused])
    #expect(one.isConverged && two.isConverged && one.state?.aliasCount == 0)
  }

  @Test func `I7: aliases survive a restart, and an undo brings them back`() throws {
    let host = Host(daemon, type: "shortcuts")
    let item = try #require(daemon.state.lastItem(in: Self.left))
    host.submit(Self.alias(item))
    host.ask(Self.alias(item, to: Self.left))
    for _ in 1...2 {
      let before = daemon.state.aliases(of: item)
      daemon.restart()
      host.rejoin()
      #expect(host.isConverged && before.count == 2 && daemon.state.aliases(of: item) == before)
      #expect(daemon.state.brokenInvariant() == nil)
      #expect(host.state?.aliases(of: item) == before)
    }
    let removal = try #require(host.ask(.remove([item])))
    #expect(daemon.state.aliasCount == 0)
    _ = host.undo(removal)
    host.receive()
    #expect(host.isConverged && daemon.state.aliases(of: item).count == 2)
  }

  @Test func `I1: a snapshot in small parts has aliases, wherever their items are`() throws {
    let daemon = Daemon { $0.tables.snapshotPartItemsMax = 2 }
    let host = Host(daemon, type: "shortcuts")
    for _ in 1...20 { host.receive() }
    for item in daemon.state.itemIDs(in: Self.right) { host.submit(Self.alias(item, to: Self.left)) }
    for item in daemon.state.itemIDs(in: Self.left) { host.submit(Self.alias(item)) }
    for _ in 1...20 { host.receive() }
    let other = Host(daemon, type: "")
    for _ in 1...60 { other.receive() }
    #expect(other.isConverged && other.state?.aliasCount == daemon.state.aliasCount)
    #expect(daemon.state.aliasCount == 11)
    // The snapshot is enough to predict which aliases go along.
    let item = try #require(daemon.state.itemIDs(in: Self.left).first)
    other.submit(.move([item], to: .end(of: Self.row)))
    #expect(other.state?.aliasCount == 10)
    for host in [other, host, other] { host.receive() }
    #expect(other.isConverged && host.isConverged && daemon.state.aliasCount == 10)
  }

  @Test func `I12: a daemon that breaks the rules of aliases ends no client`() throws {
    let peer = Peer(daemon, type: "shortcuts")
    var table = Table(replicaOf: try #require(peer.replica?.state))
    let item = try #require(table.state.lastItem(in: Self.left))
    func alias(_ id: UInt64, of original: ItemID) -> Item {
      Item(id: ItemID(rawValue: id), collection: Self.row, aliasOf: original)
    }
    func diff(_ change: Change) -> Diff {
      Diff(revision: table.state.revision.next, author: .daemon, sequence: .zero, changes: [change])
    }
    // Aliases of aliases, of what is not there, and in a collection of hidden faces.
    let strange = [
      alias(1000, of: item), alias(1001, of: ItemID(rawValue: 1000)), alias(1002, of: ItemID(rawValue: 9999)),
    ]
    try table.apply(diff(.inserted(strange, .end(of: Self.row))))
    #expect(table.state.aliasCount == 3 && table.state.brokenInvariant(isJudged: false) == nil)
    var author = TestAuthor()
    for kind in [Self.note(strange[2].id, 1), .move([strange[1].id], to: .end(of: Self.left)), .remove([item])] {
      author.ask(kind, of: &table)
      #expect(table.state.brokenInvariant(isJudged: false) == nil)
    }
    // An item that leaves without its aliases, an alias of itself, and too many.
    try table.apply(diff(.inserted([alias(2000, of: ItemID(rawValue: 3000))], .end(of: Self.row))))
    #expect(throws: DiffMismatch.self) {
      try table.apply(diff(.inserted([alias(2001, of: ItemID(rawValue: 2001))], .end(of: Self.row))))
    }
    // Everyone sees the faces of aliases.
    let hidden = Item(id: ItemID(rawValue: 2002), collection: Self.left, visibility: .nobody, aliasOf: item)
    #expect(throws: DiffMismatch.self) { try table.apply(diff(.inserted([hidden], .end(of: Self.left)))) }
    let many = (0...UInt64(TableLimits.aliasesPerItemMax)).map { alias(3001 + $0, of: ItemID(rawValue: 3000)) }
    #expect(throws: DiffMismatch.self) { try table.apply(diff(.inserted(many, .end(of: Self.row)))) }
  }
}
