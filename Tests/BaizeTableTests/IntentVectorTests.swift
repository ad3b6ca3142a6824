import TestSupport
import Testing

@testable import BaizeTable

/// I9: `Protocol/vectors/intent.json`, each case in every order in which the daemon may judge its operations.
@Suite(.dedicatedThreads) struct IntentVectorTests {
  @Test func `the ids are unique: 50 of lists, 20 of boards, 12 of undo, 13 of columns, 8 of aliases, 4 of positions`()
  {
    let ids = IntentVectors.file.cases.map(\.id)
    #expect(Set(ids).count == ids.count, "\(IntentVectors.file.description)")
    for (kind, count) in [("list", 50), ("board", 20), ("undo", 12), ("column", 13), ("alias", 8), ("position", 4)] {
      #expect(ids.count { $0.hasPrefix("intent-\(kind)-") } == count)
    }
  }

  @Test(arguments: IntentVectors.file.cases)
  func `I1, I4, I9: what concurrent authors intend comes about in every order`(_ vector: IntentVectors.Case) throws {
    let orders = Self.orders(of: vector.authors.map(\.count))
    #expect(!orders.isEmpty)
    for order in orders {
      let expected = try #require(vector.finals.first { $0.isFor(order) }, "no result for \(order)")
      var run = RebaseVectors.Run(
        RebaseVectors.Case(
          id: vector.id, says: vector.says, collections: vector.collections, opened: vector.opened, operations: [],
          final: expected.final))
      for step in vector.before ?? [] { run.judge(step, by: step.author ?? 1, on: run.bench.state.revision) }
      let base = run.bench.state.revision
      var next = vector.authors.map { _ in 0 }
      for author in order {
        let step = vector.authors[author][next[author]]
        next[author] += 1
        let verdict = run.judge(step, by: UInt64(author) + 1, on: base)
        let name = "\(author + 1).\(step.seq)"
        if let verdicts = expected.verdicts {
          #expect(verdict == verdicts[name] ?? "accepted", "\(name), order \(order.map { $0 + 1 })")
        }
      }
      for step in vector.after ?? [] { run.judge(step, by: step.author ?? 1, on: run.bench.state.revision) }
      for (collection, items) in expected.final.sorted(by: { $0.key < $1.key }) {
        #expect(run.names(in: collection) == items, "\(collection), order \(order.map { $0 + 1 })")
      }
      for (item, limit) in (expected.limits ?? [:]).sorted(by: { $0.key < $1.key }) {
        #expect(run.limit(of: item) == limit, "\(item), order \(order.map { $0 + 1 })")
      }
      for (item, handle) in (expected.handles ?? [:]).sorted(by: { $0.key < $1.key }) {
        #expect(run.handle(item).rawValue == handle, "\(item), order \(order.map { $0 + 1 })")
      }
    }
  }

  /// Returns every order of the authors' operations in which those of each author stay in theirs.
  private static func orders(of counts: [Int]) -> [[Int]] {
    guard counts.contains(where: { $0 > 0 }) else { return [[]] }
    return counts.indices.filter { counts[$0] > 0 }.flatMap { author in
      var rest = counts
      rest[author] -= 1
      return orders(of: rest).map { [author] + $0 }
    }
  }
}

/// The file `Protocol/vectors/intent.json`, whose `description` explains the fields.
struct IntentVectors: Decodable {
  var description: String
  var cases: [Case]

  struct Case: Decodable, Sendable, CustomStringConvertible {
    var id: String
    var says: String
    var collections: [RebaseVectors.Collection]
    var opened: [RebaseVectors.Collection]?
    var before: [RebaseVectors.Operation]?
    var authors: [[RebaseVectors.Operation]]
    var after: [RebaseVectors.Operation]?
    var finals: [Final]

    var description: String { "\(id): \(says)" }
  }

  struct Final: Decodable, Sendable {
    /// The authors whose operations are judged first and last; `nil` for any.
    var first: Int?
    var last: Int?
    var verdicts: [String: String]?
    var final: [String: [String]]
    var handles: [String: UInt32]?
    var limits: [String: Int64]?

    func isFor(_ order: [Int]) -> Bool {
      (first == nil || first == order[0] + 1) && (last == nil || last == order[order.count - 1] + 1)
    }
  }

  /// The file's content. An unreadable file has no cases, which fails the tests.
  static let file: IntentVectors = {
    do {
      return try Repository.decode("Protocol/vectors/intent.json")
    } catch {
      return IntentVectors(description: "\(error)", cases: [])
    }
  }()
}
