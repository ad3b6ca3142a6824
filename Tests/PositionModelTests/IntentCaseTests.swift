import TestSupport
import Testing

@testable import PositionModel

/// What concurrent authors intend, in every order in which their operations may be judged: the cases of
/// `Protocol/vectors/intent.json` about lists, boards and undo, and small ones in which inferring a gap from items goes wrong.
struct IntentCaseTests {
  @Test(arguments: IntentCases.file.cases + IntentCases.small)
  func `I9: what concurrent authors intend comes about in every order`(_ intent: IntentCases.Case) throws {
    let results = try intent.play()
    let isAsIntended = results.allSatisfy { result in
      result.expected.final.allSatisfy { result.lists[$0.key] == $0.value }
    }
    #expect(isAsIntended)
  }

  @Test func `there are 50 cases of lists, 20 of boards and 12 of undo`() {
    for (kind, count) in [("list", 50), ("board", 20), ("undo", 12)] {
      #expect(IntentCases.file.cases.count { $0.id.hasPrefix("intent-\(kind)-") } == count)
    }
  }
}

extension IntentCases {
  /// Cases of one list whose items are letters.
  static let small = [
    small(
      "X stands between b and c; one types on both sides of it, another, unaware, removes it, and then c.", "abcdef",
      before: [.insert("X", after: "b", before: "c")],
      [
        [.insert("Y", after: "b", before: "X"), .insert("Z", after: "X", before: "c")],
        [.remove("X"), .remove("c")],
      ], "abYZdef"),
    small(
      "One drops something in three gaps; another removes what lies between.", "abcdef",
      [
        [.remove("b"), .remove("c"), .remove("d"), .remove("e")],
        [
          .insert("X", after: "a", before: "b"), .insert("Y", after: "b", before: "c"),
          .insert("Z", after: "d", before: "e"),
        ],
      ], "aXYZf"),
    small(
      "Two remove neighbors; the first undoes, and then the second.", "abcdef", [[.remove("b")], [.remove("c")]],
      after: [(1, .undo(1)), (2, .undo(1))], "abcdef"),
    small(
      "Two remove neighbors; the second undoes, and then the first.", "abcdef", [[.remove("b")], [.remove("c")]],
      after: [(2, .undo(1)), (1, .undo(1))], "abcdef"),
    small(
      "One types before X; another, unaware, removes b and X together and undoes that.", "abcdef",
      before: [.insert("X", after: "b", before: "c")],
      [[.insert("Y", after: "b", before: "X")], [.remove("b", "X"), .undo(1)]], "abYXcdef"),
  ]

  private static func small(
    _ says: String, _ list: String, before: [Step] = [], _ authors: [[Step]], after: [(Int, Step)] = [], _ final: String
  ) -> Case {
    func letters(_ text: String) -> [String] { text.map { String($0) } }
    func numbered(_ steps: [Step], after count: Int = 0) -> [Step] {
      steps.enumerated().map { index, step in
        var step = step
        step.seq = count + index + 1
        step.unanswered = index
        return step
      }
    }
    let last = after.map { author, step in
      var step = step
      (step.author, step.seq) = (author, 100)
      return step
    }
    return Case(
      id: "small", says: says, collections: [Collection(id: "list", items: letters(list))], before: numbered(before),
      authors: authors.enumerated().map { numbered($1, after: $0 == 0 ? before.count : 0) }, after: last,
      finals: [Final(final: ["list": letters(final)])])
  }
}

extension IntentCases.Step {
  fileprivate static func insert(_ item: String, after: String, before: String) -> Self {
    Self(seq: 0, insert: [item], to: "list", before: before, after: after)
  }

  fileprivate static func remove(_ items: String...) -> Self { Self(seq: 0, remove: items) }

  /// Undoes the author's operation of this number.
  fileprivate static func undo(_ target: Int) -> Self { Self(seq: 0, undo: target) }
}

extension IntentCases.Case {
  /// Plays the case in every order in which the operations of each author stay in theirs.
  ///
  /// - Returns: For each order what is expected, and what came of it.
  func play() throws -> [(expected: IntentCases.Final, lists: [String: [String]])] {
    try Self.orders(of: authors.map(\.count)).map { order in
      let expected = try #require(finals.first { $0.isFor(order) }, "no result for \(order)")
      var play = IntentPlay(self)
      for step in before ?? [] { play.judge(step, by: step.author ?? 1) }
      let base = play.table.revision
      var next = authors.map { _ in 0 }
      for author in order {
        play.judge(authors[author][next[author]], by: author + 1, on: base)
        next[author] += 1
      }
      for step in after ?? [] { play.judge(step, by: step.author ?? 1) }
      return (expected, play.lists)
    }
  }

  private static func orders(of counts: [Int]) -> [[Int]] {
    guard counts.contains(where: { $0 > 0 }) else { return [[]] }
    return counts.indices.filter { counts[$0] > 0 }.flatMap { author in
      var rest = counts
      rest[author] -= 1
      return orders(of: rest).map { [author] + $0 }
    }
  }
}

/// One case of `intent.json` while it runs.
struct IntentPlay {
  private(set) var table: PositionTable
  private var memories: [Int: ModelMemory] = [:]
  private var ids: [String: Int] = [:]
  private var names: [Int: String] = [:]
  private let collections: [String]

  init(_ intent: IntentCases.Case) {
    collections = intent.collections.map(\.id)
    var ids: [String: Int] = [:]
    let lists = intent.collections.map { collection in
      (collection.items ?? []).map { name in
        ids[name] = ids.count + 1
        return ids.count
      }
    }
    table = PositionTable(lists)
    for (index, collection) in intent.collections.enumerated() { table.rules[index].capacity = collection.capacity }
    self.ids = ids
    for (name, id) in ids { names[id] = name }
  }

  /// The names of the items, by collection.
  var lists: [String: [String]] {
    Dictionary(
      uniqueKeysWithValues: collections.enumerated().map { ($1, table.items(in: $0).compactMap { names[$0] }) })
  }

  /// - Parameter base: `nil` for the present revision.
  mutating func judge(_ step: IntentCases.Step, by author: Int, on base: Int? = nil) {
    var operation = ModelOperation(
      author: author, number: step.seq, base: base ?? table.revision, unanswered: step.unanswered ?? 0, kind: .insert)
    operation.collection = step.to.flatMap(collections.firstIndex) ?? 0
    operation.before = step.before.map { ModelOperation.Name(item: id($0, author)) }
    operation.after = step.after.map { ModelOperation.Name(item: id($0, author)) }
    operation.isAtStart = step.start ?? false
    if let made = step.insert ?? step.copy.map({ step.makes ?? $0.map { $0 + "'" } }) {
      operation.items = made.enumerated().map { index, name in
        let id = Self.made(author, step.seq, index)
        (ids[name], names[id]) = (id, name)
        return id
      }
    } else if let items = step.move ?? step.remove {
      operation.kind = step.move == nil ? .remove : .move
      operation.items = items.map { id($0, author) }
    } else if let target = step.undo {
      operation.kind = .undo(target)
    }
    _ = table.judge(operation, &memories[author, default: ModelMemory()])
  }

  private static func made(_ author: Int, _ number: Int, _ index: Int) -> Int { author << 20 | number << 8 | index }

  /// Returns an item by its name, or by `@` with the number of the author's operation that makes it and its place in that.
  private func id(_ name: String, _ author: Int) -> Int {
    guard name.hasPrefix("@") else { return ids[name] ?? -1 }
    let parts = name.dropFirst().split(separator: ".").compactMap { Int($0) }
    return Self.made(author, parts[0], parts[1])
  }
}

/// The file `Protocol/vectors/intent.json`, as far as the model plays it.
struct IntentCases: Decodable {
  var cases: [Case]

  struct Case: Decodable, Sendable, CustomStringConvertible {
    var id: String
    var says: String
    var collections: [Collection]
    var before: [Step]?
    var authors: [[Step]]
    var after: [Step]?
    var finals: [Final]

    var description: String { "\(id): \(says)" }
  }

  struct Collection: Decodable, Sendable {
    var id: String
    var items: [String]?
    var capacity: Int?
  }

  struct Step: Decodable, Sendable {
    var author: Int?
    var seq: Int
    var unanswered: Int?
    var insert: [String]?
    var move: [String]?
    var copy: [String]?
    var makes: [String]?
    var remove: [String]?
    var undo: Int?
    var to: String?
    var before: String?
    var after: String?
    var start: Bool?
  }

  struct Final: Decodable, Sendable {
    var first: Int?
    var last: Int?
    var final: [String: [String]]

    func isFor(_ order: [Int]) -> Bool {
      (first == nil || first == order[0] + 1) && (last == nil || last == order[order.count - 1] + 1)
    }
  }

  /// The file's cases of lists, boards and undo. An unreadable file has none, which fails the tests.
  static let file: IntentCases = {
    do {
      var file: IntentCases = try Repository.decode("Protocol/vectors/intent.json")
      file.cases.removeAll { $0.id.contains("column") || $0.id.contains("alias") }
      return file
    } catch {
      return IntentCases(cases: [])
    }
  }()
}
