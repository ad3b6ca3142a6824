import BaizeSimulator
import BaizeTable
import BaizeWire
import Foundation
import TestSupport
import Testing

@testable import BaizeSync

/// A board whose columns people make, at once: `kanban` over real client machines, the codec and a shard with a journal.
@Suite(.dedicatedThreads) struct MadeColumnsTests {
  /// The number of columns that are made; `BAIZE_COLUMNS=10000` sets it, and `BAIZE_SEED` the seed.
  static let columnsMade =
    ProcessInfo.processInfo.environment["BAIZE_COLUMNS"].flatMap { Int($0) }
    ?? LongForm.count(120, long: 400)
  static let seed = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) } ?? 1

  private static let columns = CollectionHandle(rawValue: 1)

  @Test func `I1, I3, I4: a board whose columns eight clients make, rename, move, fill and remove at once converges`()
    throws
  {
    let daemon = Daemon { $0.sessions.operationsPerSecondMax = 0 }
    let people = (0..<8).map { Host(daemon, type: $0 == 0 ? "kanban" : "") }
    var storm = BoardStorm(seed: Self.seed, people: people, columnsMax: Self.columnsMade)
    storm.run()
    for _ in 1...20 { for person in people { person.receive() } }

    #expect(people.allSatisfy { $0.isConverged }, "seed \(Self.seed)")
    #expect(people.allSatisfy { $0.divergences == 0 })
    #expect(daemon.state.brokenInvariant() == nil)
    // Each column was made once: every one got a handle of its own.
    #expect(Int(daemon.state.openedHandlesEnd) == 1 + 3 + storm.made + 1)
    let titles = daemon.state.items(in: Self.columns, from: 0, limit: .max).map { $0.face["title"] }
    #expect(Set(titles).count == titles.count && titles.count > Self.columnsMade / 4)
    let refused = people.flatMap { $0.answers.compactMap(\.reason) }
    let expected: Set<Reason> = [.notEmpty, .contended, .collectionGone, .capacityExceeded, .unknownItem, .anchorGone]
    #expect(Set(refused).isSubset(of: expected), "\(Set(refused).subtracting(expected))")
    #expect(refused.contains(.notEmpty) && storm.counts.values.allSatisfy { $0 > 0 }, "\(storm.counts)")

    // A client that joins later, and a restarted daemon, have the same board.
    let late = Host(daemon, type: "")
    for _ in 1...60 { late.receive() }
    #expect(late.isConverged)
    var before = daemon.state
    daemon.restart()
    people[0].rejoin()
    for _ in 1...60 { people[0].receive() }
    var after = daemon.state
    #expect(people[0].isConverged && after.viewHash() == before.viewHash() && after.handles == before.handles)
  }

  @Test(arguments: [true, false])
  func `I9: two who reorder columns and cards at once each find their intent kept`(adaIsFirst: Bool) throws {
    let daemon = Daemon()
    let (ada, bo) = (Host(daemon, type: "kanban"), Host(daemon, type: ""))
    func state(_ person: Host) throws -> TableState { try #require(person.state) }
    func column(_ title: String, for person: Host) throws -> Item {
      try #require(
        try state(person).items(in: Self.columns, from: 0, limit: .max).first { $0.face["title"] == .text(title) })
    }
    func card(_ title: String, for person: Host) throws -> ItemID {
      let state = try state(person)
      let cards = state.handles.dropFirst().flatMap { state.items(in: $0, from: 0, limit: .max) }
      return try #require(cards.first { $0.face["title"] == .text(title) }).id
    }
    func end(of title: String, for person: Host) throws -> Destination {
      Destination(openedBy: try column(title, for: person).id, position: .end)
    }
    func before(_ title: String, for person: Host) throws -> Destination {
      Destination(collection: Self.columns, position: .before(try column(title, for: person).id))
    }
    ada.submit(.insert([Self.titled("Ideas")], try before("To do", for: ada)))
    ada.submit(.insert(["a", "b", "c"].map(Self.titled), try end(of: "To do", for: ada)))
    for person in [ada, bo, ada, bo] { person.receive() }

    func actAsAda() throws {
      ada.submit(.move([try column("Doing", for: ada).id], to: try before("To do", for: ada)))
      ada.submit(.move([try card("a", for: ada)], to: try end(of: "Doing", for: ada)))
      ada.submit(
        .update(try column("Done", for: ada).id, attributes: [Attribute("title", "Shipped")], representations: []))
    }
    func actAsBo() throws {
      bo.submit(.move([try column("Ideas", for: bo).id], to: .end(of: Self.columns)))
      let todo = try column("To do", for: bo).opens
      let beforeB = Destination(collection: todo, position: .before(try card("b", for: bo)))
      bo.submit(.move([try card("c", for: bo)], to: beforeB))
      bo.submit(.move([try card("b", for: bo)], to: try end(of: "Done", for: bo)))
      bo.submit(.insert([Self.titled("Review")], try before("Done", for: bo)))
      bo.submit(.insert([Self.titled("r")], try end(of: "Review", for: bo)))
    }
    // Neither has received what the other did.
    if adaIsFirst { try actAsAda() }
    try actAsBo()
    if !adaIsFirst { try actAsAda() }
    for person in [ada, bo, ada, bo] { person.receive() }

    #expect(ada.isConverged && bo.isConverged)
    #expect(ada.answers.allSatisfy { $0.reason == nil } && bo.answers.allSatisfy { $0.reason == nil })
    for person in [ada, bo] {
      let state = try state(person)
      func titles(_ handle: CollectionHandle) -> [String] {
        state.items(in: handle, from: 0, limit: .max).compactMap {
          if case .text(let text)? = $0.face["title"] { text } else { nil }
        }
      }
      #expect(titles(Self.columns) == ["Doing", "To do", "Review", "Shipped", "Ideas"])
      let cards = ["Doing", "To do", "Review", "Shipped", "Ideas"].map {
        titles((try? column($0, for: person).opens) ?? .none)
      }
      #expect(cards == [["a"], ["c"], ["r"], ["b"], []])
    }
  }

  static func titled(_ title: String) -> NewItem { NewItem(attributes: [Attribute("title", title)]) }
}

/// People who act at random on one board. Diffs and answers reach each of them at random times.
private struct BoardStorm {
  private var random: RandomSource
  private let people: [Host]
  private let columnsMax: Int
  private(set) var made = 0
  /// How often each kind of operation was shown.
  private(set) var counts: [String: Int] = ["add": 0, "rename": 0, "move": 0, "fill": 0, "carry": 0, "remove": 0]

  private static let columns = CollectionHandle(rawValue: 1)

  init(seed: UInt64, people: [Host], columnsMax: Int) {
    random = RandomSource(seed: seed)
    (self.people, self.columnsMax) = (people, columnsMax)
  }

  mutating func run() {
    while made < columnsMax {
      let person = people[below(people.count)]
      act(as: person)
      if below(3) == 0 { people[below(people.count)].receive() }
      if person.machine.replica?.pending.count ?? 0 > 40 { person.receive() }
    }
  }

  private mutating func act(as person: Host) {
    guard let state = person.state, let column = one(of: state) else { return }
    switch below(12) {
    case 0, 1:
      let count = 1 + below(min(6, columnsMax - made))
      let items = (0..<count).map { MadeColumnsTests.titled("\(made + $0)") }
      submit("add", .insert(items, gap(state)), as: person)
      made += count
    case 2, 3:
      let limit = Attribute(name: "limit", value: below(2) == 0 ? nil : .number(Int64(below(4))))
      submit(
        "rename", .update(column, attributes: [limit, Attribute("owner", Int64(below(9)))], representations: []),
        as: person)
    case 4, 5:
      let columns = (0..<(1 + below(3))).compactMap { _ in one(of: state) }
      var sources: [ItemID] = []
      for item in columns where !sources.contains(item) { sources.append(item) }
      submit("move", .move(ItemList(sources), to: gap(state)), as: person)
    case 6, 7:
      submit("fill", .insert([MadeColumnsTests.titled("card")], end(column)), as: person)
    case 8, 9:
      guard let card = state.lastItem(in: state.collectionOpened(by: column) ?? .none), let other = one(of: state)
      else { return }
      submit("carry", .move([card], to: end(other)), as: person)
    default:
      submit("remove", .remove([column]), as: person)
    }
  }

  private mutating func submit(_ name: String, _ kind: TableOperation.Kind, as person: Host) {
    person.submit(kind)
    counts[name, default: 0] += 1
  }

  private mutating func one(of state: TableState) -> ItemID? {
    let count = state.count(in: Self.columns)
    return count == 0 ? nil : state.item(at: below(count), in: Self.columns)
  }

  /// A gap between the columns.
  private mutating func gap(_ state: TableState) -> Destination {
    guard below(4) > 0, let column = one(of: state) else { return .end(of: Self.columns) }
    return Destination(collection: Self.columns, position: .before(column))
  }

  private func end(_ column: ItemID) -> Destination { Destination(openedBy: column, position: .end) }

  private mutating func below(_ count: Int) -> Int { Int(random.next(below: UInt64(max(1, count)))) }
}
