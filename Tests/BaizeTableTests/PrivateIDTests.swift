import Testing

@testable import BaizeTable

/// The ids of items in private collections (I6, D13).
@Suite struct PrivateIDTests {
  private let key: (UInt64, UInt64) = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)

  @Test func `the round function is SipHash-2-4`() {
    // From the authors' reference implementation: the message 00 01 … 07 under the key 00 01 … 0F.
    #expect(SipHash(k0: key.0, k1: key.1)(0x0706_0504_0302_0100) == 0x93F5_F579_9A93_2462)
  }

  @Test func `I6: no id is given twice, none is out of its range, and none is found behind the one before`() {
    var ids = PrivateIDs(key: key)
    let made = (0..<100_000).map { _ in ids.make().rawValue }
    #expect(Set(made).count == made.count)
    #expect(made.allSatisfy { (1 << 51..<1 << 52).contains($0) })
    // Of random numbers every second one is larger than its predecessor; the deviation is 91.
    let ascents = zip(made, made.dropFirst()).count { $0 < $1 }
    #expect(abs(ascents - 50_000) < 600)
    // And each bit is set in every second one; the deviation is 158.
    for bit in 0..<51 as Range<UInt64> { #expect(abs(made.count { $0 >> bit & 1 == 1 } - 50_000) < 900, "bit \(bit)") }
  }

  @Test func `the ids continue behind any that were given`() {
    var (ids, first) = (PrivateIDs(key: key), [ItemID]())
    for _ in 0..<100 { first.append(ids.make()) }
    var restored = PrivateIDs(key: key)
    for id in [7, 99, 3] { restored.skip(first[id]) }
    restored.skip(ItemID(rawValue: 5))
    #expect(restored.next == 100 && restored.make() == ids.make())
    restored.skip(to: 500)
    restored.skip(to: 3)
    #expect(restored.next == 500)
  }

  @Test func `I6: another key gives other ids`() {
    var (one, other) = (PrivateIDs(key: key), PrivateIDs(key: (key.0, key.1 ^ 1)))
    let both = (0..<1_000).map { _ in (one.make(), other.make()) }
    #expect(Set(both.map(\.0)).isDisjoint(with: both.map(\.1)))
  }

  /// The ids of a table with a seed, made by the rule B9 alone.
  @Test func `B9: a seed gives the ids of private collections`() {
    let hand = CollectionKind(name: "hand", faces: .owner, isPrivate: true)
    let type = TableType(
      name: "hand", seatsMax: 1, collections: [CollectionRules(id: "hand", kind: 0, owner: SeatNumber(rawValue: 1))],
      kinds: [hand],
      setUp: SetUp(decks: [Deck(contents: .numbered(count: 3, attribute: "n"), deals: [Deck.Deal(to: Types.handle(0))])]
      ))
    var random = RandomSource(seed: 5)
    var ids: [UInt64] = [1, 2, 3]
    random.shuffle(&ids)
    var expected = PrivateIDs(key: (random.next(), random.next()))
    let table = Table(type: type, random: RandomSource(seed: 5))
    #expect(table.state.itemIDs(in: Types.handle(0)) == (0..<3).map { _ in expected.make() })
    #expect(table.privateIDs.next == 3)
  }
}
