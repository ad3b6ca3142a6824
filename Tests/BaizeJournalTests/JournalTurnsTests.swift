import BaizeSync
import BaizeTable
import Testing

@testable import BaizeJournal

/// The groups of turns that are committed together (I8, I11).
@Suite struct JournalTurnsTests {
  private static let bytesMax = 1_000

  private static func turn(_ number: UInt64, of shard: Int, _ bytes: Int, _ table: String = "t") -> JournalTurn {
    JournalTurn(
      shard: shard, number: TurnNumber(rawValue: number), writes: [Writes.record(table, number, bytes: bytes)])
  }

  /// Commits the next group.
  private static func group(_ turns: inout JournalTurns) -> [String] {
    turns.formGroup(of: bytesMax)
    defer { turns.removeGroup() }
    return turns.group.map { "\($0.shard):\($0.number?.rawValue ?? 0)" }
  }

  @Test func `small turns of all shards are one group`() {
    var turns = JournalTurns(shards: 3)
    for number in 1...30 as ClosedRange<UInt64> { turns.append(Self.turn(number, of: Int(number % 3), 30)) }
    #expect(turns.count == 30 && Set(Self.group(&turns)).count == 30)
    #expect(turns.isEmpty && Self.group(&turns).isEmpty)
  }

  @Test func `a shard that writes much does not keep the others waiting`() {
    var turns = JournalTurns(shards: 2)
    for number in 1...20 as ClosedRange<UInt64> { turns.append(Self.turn(number, of: 0, 400)) }
    for number in 1...5 as ClosedRange<UInt64> { turns.append(Self.turn(number, of: 1, 10)) }
    let first = Self.group(&turns)
    #expect(Set(first).isSuperset(of: (1...5).map { "1:\($0)" }) && first.count == 7)
    var order = first.filter { $0.hasPrefix("0") }
    while !turns.isEmpty { order += Self.group(&turns) }
    #expect(order == (1...20).map { "0:\($0)" }, "the order of a shard's turns")
  }

  @Test func `a turn larger than a group waits for one group of small ones, and the shards take turns`() {
    var turns = JournalTurns(shards: 3)
    for number in 1...4 as ClosedRange<UInt64> {
      for shard in 0...1 { turns.append(Self.turn(number, of: shard, 5_000)) }
    }
    var groups: [[String]] = []
    for number in 1...8 as ClosedRange<UInt64> {
      turns.append(Self.turn(number, of: 2, 10))
      groups.append(Self.group(&turns))
    }
    #expect(
      groups == [
        ["2:1"], ["2:2", "0:1"], ["2:3"], ["2:4", "1:1"], ["2:5"], ["2:6", "0:2"], ["2:7"], ["2:8", "1:2"],
      ])
    var rest: [[String]] = []
    while !turns.isEmpty { rest.append(Self.group(&turns)) }
    #expect(rest == [["0:3"], ["1:3"], ["0:4"], ["1:4"]])
  }

  @Test func `a group whose commit failed is kept and filled up, in order`() {
    var turns = JournalTurns(shards: 1)
    turns.append(Self.turn(1, of: 0, 10, "a"))
    turns.formGroup(of: Self.bytesMax)
    turns.append(Self.turn(2, of: 0, 10, "b"))
    #expect(turns.changes("a") && turns.changes("b") && !turns.changes("c"))
    turns.formGroup(of: Self.bytesMax)
    #expect(turns.group.map(\.number?.rawValue) == [1, 2] && turns.count == 2)
    turns.removeGroup()
    #expect(turns.isEmpty && !turns.changes("a"))
  }
}
