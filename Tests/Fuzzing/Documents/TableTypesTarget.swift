import BaizeTable
import BaizeWorkload

@testable import BaizeTableTypes

/// A document is refused with its mistakes, or it makes a table that is sound and stays so under operations. Behind a zero
/// byte the input has the options: `draw=3&redeals=2`.
enum TableTypesTarget {
  static func run(_ input: [UInt8]) -> Bool {
    let parts = input.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false).map(Array.init)
    let mistakes = Checker.mistakes(in: parts[0])
    hold(mistakes.count <= DocumentLimits.mistakesMax, "\(mistakes.count) mistakes")
    guard let document = try? TableTypeDocument(parsing: parts[0]) else {
      hold(!mistakes.isEmpty, "refused without a mistake")
      return false
    }
    hold(Array(document.text.utf8) == parts[0], "the document's text was changed")
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
    var player = GeneratedAuthor(Generator(.worlds), random: RandomSource(seed: 2))
    let author = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))
    for turn in 1...UInt64(turns) {
      let sequence = SequenceNumber(rawValue: turn)
      guard let kind = player.next(at: table.state, by: author.seat)?.operation(at: table.state, after: sequence)
      else { continue }
      let operation = TableOperation(
        sequence: sequence, base: table.state.revision, epoch: Epoch(rawValue: 1), kind: kind)
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
}
