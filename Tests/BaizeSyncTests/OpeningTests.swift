import BaizeSimulator
import BaizeTable
import BaizeWire
import TestSupport
import Testing

@testable import BaizeSync

/// Collections that items open, between clients, the daemon and its journal.
@Suite struct OpeningTests {
  private let daemon = Daemon()

  private static let columns = CollectionHandle(rawValue: 1)

  private static func named(_ name: String) -> NewItem { NewItem(attributes: [Attribute("name", name)]) }

  private static func column(_ name: String) -> TableOperation.Kind { .insert([named(name)], .end(of: columns)) }

  /// Returns the collection that the last column opens.
  private static func last(_ host: Host) -> CollectionHandle? {
    guard let state = host.state, let item = state.lastItem(in: columns) else { return nil }
    return state.collectionOpened(by: item)
  }

  @Test func `I10: a column and its cards are shown and sent together, whoever adds another column meanwhile`() throws {
    let (one, two) = (Host(daemon, type: "columns"), Host(daemon, type: ""))
    one.submit(Self.column("A"))
    let shown = try #require(Self.last(one))
    #expect(shown.isProvisional && one.state?.isEnabled(shown) == true)
    // The app may name it by the handle that it sees, or by its item.
    one.submit(.insert([Self.named("a")], .end(of: shown)))
    let item = try #require(one.state?.lastItem(in: Self.columns))
    one.submit(.insert([Self.named("b")], Destination(openedBy: item, position: .end)))
    #expect(one.state?.count(in: shown) == 2)
    // Another column takes the handle that would have been next.
    two.submit(Self.column("B"))
    daemon.endTurn()
    two.receive()
    #expect(one.state?.count(in: shown) == 2)
    for host in [one, two, one, two] { host.receive() }
    #expect(one.isConverged && two.isConverged)
    let state = daemon.state
    let column = try #require(
      state.items(in: Self.columns, from: 0, limit: .max).first { $0.face["name"] == .text("A") })
    #expect(state.count(in: column.opens) == 2 && !column.opens.isProvisional)
    #expect(one.answers.map(\.reason) == [nil, nil, nil])
  }

  @Test func `I10: a column that is refused takes its cards with it`() throws {
    let host = Host(daemon, type: "columns")
    let before = host.state?.itemCount
    let many = (0...TableLimits.itemsPerOperationMax).map { Self.named("\($0)") }
    host.submit(.insert(many, .end(of: Self.columns)), sendsRefused: true)
    let made = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    host.ask(.insert([Self.named("a")], Destination(openedBy: made, position: .end)), sendsRefused: true)
    #expect(host.answers.map(\.reason) == [.tooManyItems, .dependsOnRefused])
    #expect(host.isConverged && host.state?.itemCount == before)
  }

  @Test func `I7: collections that items open survive a restart, and no handle is given twice`() throws {
    let host = Host(daemon, type: "columns")
    host.submit(Self.column("A"))
    host.ask(Self.column("B"))
    let gone = try #require(Self.last(host))
    host.ask(.remove([daemon.state.opener(of: gone)]))
    for _ in 1...2 {
      let before = daemon.state
      daemon.restart()
      host.rejoin()
      #expect(host.isConverged && daemon.state.handles == before.handles)
      #expect(daemon.state.brokenInvariant() == nil)
    }
    host.submit(Self.column("C"))
    host.ask(.insert([Self.named("c")], .end(of: gone)), sendsRefused: true)
    #expect(Self.last(host)?.rawValue == gone.rawValue + 1)
    #expect(host.answers.last?.reason == .collectionGone && host.isConverged)
  }

  @Test func `I1: a snapshot in small parts has every collection, wherever its item was moved`() throws {
    let daemon = Daemon { $0.tables.snapshotPartItemsMax = 3 }
    let host = Host(daemon, type: "columns")
    let lanes = CollectionHandle(rawValue: 3)
    for _ in 1...20 { host.receive() }
    let state = try #require(host.state)
    let (first, second) = (state.items(in: lanes, from: 0, limit: 2)[0], state.items(in: lanes, from: 0, limit: 2)[1])
    for number in 0..<20 {
      host.submit(.insert([Self.named("\(number)")], .end(of: first.opens)))
      let column = try #require(host.state?.lastItem(in: first.opens))
      host.submit(.insert([Self.named("x"), Self.named("y")], Destination(openedBy: column, position: .end)))
    }
    host.receive()
    // Into a lane that opens a collection with a lower handle than the column's own, and the other way round.
    for column in daemon.state.itemIDs(in: first.opens).prefix(10) {
      host.submit(.move([column], to: .end(of: second.opens)))
    }
    #expect(host.catchUp())
    let other = Host(daemon, type: "")
    for _ in 1...60 { other.receive() }
    #expect(other.isConverged)
    #expect(other.state?.handles == daemon.state.handles)
  }

  @Test func `C8: what was pending under another epoch names its columns`() throws {
    let host = Host(daemon, type: "columns")
    host.ask(Self.column("A"))
    daemon.commitsAtOnce = false
    host.submit(Self.column("B"))
    let shown = try #require(Self.last(host))
    host.submit(.insert([Self.named("b")], .end(of: shown)))
    daemon.restart()
    host.rejoin()
    #expect(host.isConverged)
    let column = try #require(daemon.state.items(in: Self.columns, from: 0, limit: .max).last)
    #expect(column.face["name"] == .text("B") && daemon.state.count(in: column.opens) == 1)
  }

  @Test func `I1: thousands of columns made, renamed, moved and removed by eight clients at once converge`() throws {
    let (count, rounds) = LongForm.count((2_000, 8), long: (10_000, 20))
    let hosts = (0..<8).map { Host(daemon, type: $0 == 0 ? "columns" : "") }
    #expect(hosts.allSatisfy { $0.machine.welcome.map { $0.seat != .spectator } ?? false })
    var random = RandomSource(seed: 5)
    let perOperation = 100
    for _ in 0..<count / perOperation / hosts.count + 1 {
      for host in hosts {
        host.submit(.insert((0..<perOperation).map { Self.named("\($0)") }, .end(of: Self.columns)))
      }
      for host in hosts { host.receive() }
    }
    for host in hosts { host.receive() }
    #expect(daemon.state.openedCount >= count)
    // Nobody waits for anyone: each acts on what it saw.
    for _ in 0..<rounds {
      for host in hosts {
        let state = try #require(host.state)
        func some(_ count: Int) -> [ItemID] {
          let offset = Int(random.next(below: UInt64(state.count(in: Self.columns) - count)))
          return state.items(in: Self.columns, from: offset, limit: count).map(\.id)
        }
        let (moved, anchor) = (some(3), some(1)[0])
        if !moved.contains(anchor) { host.submit(.move(moved, to: .before(anchor, in: Self.columns))) }
        host.submit(.update(some(1)[0], attributes: [Attribute("name", "renamed")], representations: []))
        host.submit(.insert([Self.named("card")], Destination(openedBy: some(1)[0], position: .end)))
        host.submit(.remove(ItemList(some(20))))
      }
      for host in hosts { host.receive() }
    }
    for _ in 0..<3 { for host in hosts { host.receive() } }
    for host in hosts { #expect(host.isConverged && host.divergences == 0) }
    #expect(daemon.state.brokenInvariant() == nil && daemon.state.openedCount < count * 95 / 100)
    let late = Host(daemon, type: "", role: .spectator)
    for _ in 0..<60 { late.receive() }
    #expect(late.isConverged && late.state?.handles == daemon.state.handles)
  }
}
