import BaizeSync
import BaizeTable
import BaizeWorkload
import TestSupport
import Testing

@testable import BaizeSimulator

/// One generator chooses the operations of all players: by its weights, and by nothing but its seed and the views it is shown.
@Suite struct GeneratorTests {
  private static let presets: [(name: String, weights: GeneratorWeights)] = [
    ("worlds", .worlds.hosting(onceIn: 4)), ("leaks", .leaks), ("load", .load), ("hostile", .hostile), ("fuzz", .fuzz),
  ]

  private static let types = ["list?items=9", "klondike", "playlist", "hands", "shortcuts"]

  private func table(_ name: String) throws -> Table {
    Table(type: try #require(SimulatedTypes.type(named: name)), random: RandomSource(seed: 1))
  }

  @Test(arguments: presets.indices)
  func `each kind with a weight occurs, and no other`(preset: Int) throws {
    let weights = Self.presets[preset].weights
    let marked: Int? = Self.presets[preset].name == "load" ? 7 : nil
    var counts: [GeneratedKind: Int] = [:]
    for (number, type) in Self.types.enumerated() {
      let state = try table(type).state
      var generator = Generator(weights, marksFor: marked)
      var random = RandomSource(seed: UInt64(number))
      for _ in 0..<1_000 {
        let next = generator.next(at: state, by: SeatNumber(rawValue: 1), &random)
        if let next { counts[next.kind, default: 0] += 1 }
      }
    }
    for kind in GeneratedKind.allCases { #expect((counts[kind] != nil) == (weights[kind] > 0), "\(kind): \(counts)") }
  }

  @Test(arguments: presets.indices)
  func `each content with a weight occurs, and no other`(preset: Int) throws {
    let weights = Self.presets[preset].weights
    var random = RandomSource(seed: 1)
    var counts: [GeneratedContent: Int] = [:]
    for type in Self.types {
      var player = try Player(at: table(type))
      var generator = Generator(weights, marksFor: Self.presets[preset].name == "load" ? 7 : nil)
      for _ in 0..<600 {
        guard let next = generator.next(at: player.table.state, by: player.author.seat, &random),
          let kind = player.perform(next), next.kind != .illegal
        else { continue }
        let content = next.kind == .hostile && kind.content.isReorder ? .move : kind.content
        counts[content, default: 0] += 1
      }
    }
    for content in GeneratedContent.allCases {
      var mayOccur = weights[content] > 0
      if content == .undo { mayOccur = mayOccur || weights[GeneratedKind.undo] > 0 }
      #expect((counts[content] != nil) == mayOccur, "\(content): \(counts)")
    }
  }

  @Test func `one seed gives one sequence, at the machines of a world and at a bare table`() throws {
    let weights = GeneratorWeights(
      [(.legal, 20), (.free, 60), (.contended, 10), (.illegal, 9), (.huge, 1)],
      [(.move, 40), (.copy, 10), (.insert, 20), (.remove, 15), (.update, 15)], insistence: 3)
    for seed in 1...4 as ClosedRange<UInt64> {
      let inWorld = try inWorld(GeneratedAuthor(Generator(weights), random: RandomSource(seed: seed)))
      let atTable = try atTable(GeneratedAuthor(Generator(weights), random: RandomSource(seed: seed)))
      #expect(inWorld == atTable)
      #expect(Set(inWorld.compactMap(\.?.content)).count > 40, "\(inWorld)")
    }
  }

  private static let type = "list?items=9"
  private static let operations = 60

  private func inWorld(_ author: GeneratedAuthor) throws -> [GeneratedOperation?] {
    var author = author
    let world = World(SimulationPlan(seed: 1, tables: [Self.type], clients: [.player(0)]))
    try world.run([.start(0)])
    return try (0..<Self.operations).map { _ in
      let replica = try #require(world.clients[0].machine.replica)
      let next = author.next(at: replica.state, by: replica.author.seat)
      try world.run([.act(0, try #require(next?.action))])
      return next
    }
  }

  private func atTable(_ author: GeneratedAuthor) throws -> [GeneratedOperation?] {
    var author = author
    var player = try Player(at: table(Self.type))
    return (0..<Self.operations).map { _ in
      let next = author.next(at: player.table.state, by: player.author.seat)
      if let next { _ = player.perform(next) }
      return next
    }
  }

  /// A player at a table without a daemon.
  private struct Player {
    var table: Table
    let author = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))
    private var memory = AuthorMemory()
    private var last = SequenceNumber.zero

    init(at table: Table) { self.table = table }

    mutating func perform(_ next: GeneratedOperation) -> TableOperation.Kind? {
      guard let kind = next.operation(at: table.state, after: last) else { return nil }
      last = last.next
      let operation = TableOperation(
        sequence: last, base: table.state.revision, epoch: Epoch(rawValue: 1), kind: kind)
      _ = table.judge(operation, by: author, memory: &memory)
      return kind
    }
  }

  @Test func `what a ledger follows is marked`() throws {
    var state = try table("playlist").state
    var generator = Generator(.load, marksFor: 3)
    var random = RandomSource(seed: 1)
    var (marks, kinds): (Set<Mark>, [TableOperation.Kind]) = ([], [])
    for _ in 0..<500 {
      let next = generator.next(at: state, by: SeatNumber(rawValue: 1), &random)
      if let kind = next?.operation(at: state, after: .zero) { kinds.append(kind) }
    }
    // One without items is refused everywhere.
    for case .insert(let items, _) in kinds where !items.isEmpty {
      #expect(items.count == 1)
      let isNew = try marks.insert(#require(Mark(items[0].face))).inserted
      #expect(isNew)
    }
    #expect(marks.count > 50)
    for case .remove(let items) in kinds { #expect(items.count == 1) }
    for kind in kinds {
      switch kind {
      case .reorder(_, let suggested): #expect(!suggested.contains(.copy) || suggested == [], "\(kind)")
      case .undo: Issue.record("an undo")
      case .insert, .remove, .update, .perform, .unknown, .invalid: break
      }
    }
    state = try table("klondike").state
    let moves = (0..<500).compactMap { _ in generator.next(at: state, by: SeatNumber(rawValue: 1), &random) }
    #expect(moves.contains { if case .operation(.perform) = $0.content { true } else { false } })
  }
}

extension TableOperation.Kind {
  fileprivate var content: GeneratedContent {
    switch self {
    case .reorder(_, .copy): .copy
    case .reorder(_, .alias): .alias
    case .reorder: .move
    case .insert: .insert
    case .remove: .remove
    case .update: .update
    case .perform: .perform
    case .undo: .undo
    case .unknown, .invalid: .unknown
    }
  }
}

extension GeneratedContent {
  fileprivate var isReorder: Bool { [.move, .copy, .alias].contains(self) }
}
