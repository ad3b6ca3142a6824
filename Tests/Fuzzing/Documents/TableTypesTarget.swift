import BaizeTable

@testable import BaizeTableTypes

/// A document is refused with its mistakes, or it makes a table whose promises hold, and hold through whatever its rules
/// allow. Behind a zero byte stands what its creator chooses: `draw=3&redeals=2`.
enum TableTypesTarget {
  static func run(_ input: [UInt8]) -> Bool {
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    let mistakes = Checker.mistakes(in: parts[0])
    hold(mistakes.count <= DocumentLimits.mistakesMax, "\(mistakes.count) mistakes")
    guard let document = try? TableTypeDocument(parsing: parts[0]) else {
      hold(!mistakes.isEmpty, "refused without a mistake")
      return false
    }
    hold(Array(document.text.utf8) == parts[0], "the document is not kept as it came")
    play(document.defaultTableType)
    if parts.count == 2, let type = try? document.makeTableType(options: String(decoding: parts[1], as: UTF8.self)) {
      let again = try? document.makeTableType(options: type.options)
      hold(again?.options == type.options, "what was chosen cannot be chosen again: \(type.options)")
      play(type)
    }
    return true
  }

  /// More would take longer than an input is worth.
  private static let itemsMax = 2_000
  private static let turns = 24

  private static func play(_ type: TableType) {
    guard itemCount(of: type) <= itemsMax, type.collections.count <= 64 else { return }
    var table = Table(type: type, random: RandomSource(seed: 1))
    expectSound(table)
    var memory = AuthorMemory()
    var random = RandomSource(seed: 2)
    let author = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))
    for turn in 1...UInt64(turns) {
      let operation = TableOperation(
        sequence: SequenceNumber(rawValue: turn), base: table.state.revision, epoch: Epoch(rawValue: 1),
        kind: kind(table.state, author.seat, &random))
      _ = table.judge(operation, by: author, memory: &memory)
    }
    expectSound(table)
  }

  private static func expectSound(_ table: Table) {
    let broken = table.state.brokenInvariant()
    hold(broken == nil, "\(table.state.type.name): \(broken ?? "")")
  }

  private static func itemCount(of type: TableType) -> Int {
    type.setUp.decks.reduce(0) { count, deck in
      switch deck.contents {
      case .items(let items): count + items.count
      case .numbered(let more, _): count + more
      case .product(let factors): count + factors.reduce(1) { min(itemsMax + 1, $0 * $1.values.count) }
      }
    }
  }

  /// An action, or something that moves from anywhere to anywhere.
  private static func kind(
    _ state: TableState, _ seat: SeatNumber, _ random: inout RandomSource
  ) -> TableOperation.Kind {
    let items = state.handles.flatMap { state.itemIDs(in: $0).suffix(3) }
    let item = items.isEmpty ? ItemID(rawValue: 1) : items[Int(random.next(below: UInt64(items.count)))]
    let handle = state.handles[Int(random.next(below: UInt64(state.handles.count)))]
    switch random.next(below: 8) {
    case 0 where !state.type.actions.isEmpty:
      let action = state.type.actions[Int(random.next(below: UInt64(state.type.actions.count)))]
      return .perform(action: action.name, items: action.items == .subject ? [item] : [], nil)
    case 1: return .insert([NewItem(attributes: [Attribute("a", 1)])], .end(of: handle))
    case 2: return .update(item, attributes: [Attribute("a", "b")], representations: [])
    case 3: return .remove([item])
    default:
      let targets = state.dropConfigurations(for: [item], by: seat)
      let target = targets.isEmpty ? handle : targets[Int(random.next(below: UInt64(targets.count)))].collection
      return .reorder(ReorderDifference(sources: [item], destination: .end(of: target)), suggested: [])
    }
  }
}
