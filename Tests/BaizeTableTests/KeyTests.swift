import TestSupport
import Testing

@testable import BaizeTable

/// Keys that an app chooses: each at one item of a table, found in O(1) (G11; I5, I8).
@Suite struct KeyTests {
  private static let type = TableType(
    name: "keyed", seatsMax: 4, contention: .last, key: "id",
    collections: [CollectionRules(id: "list", kind: 0)],
    kinds: [
      CollectionKind(
        name: "list", lift: LiftRule(offers: [.move, .copy, .delete]),
        accept: AcceptRule(operations: [.move, .copy], inserts: true), allowsUpdate: true)
    ])

  private static let handle = CollectionHandle(rawValue: 1)

  /// A table and its authors, each of whom sends its operations one by one on the present state.
  private struct Keyed {
    var table = Table(type: KeyTests.type, random: RandomSource(seed: 1))
    var authors: [UInt64: TestAuthor] = [:]

    mutating func judge(_ kind: TableOperation.Kind, by author: UInt64 = 1, base: Revision? = nil) -> Judgement {
      authors[author, default: TestAuthor(author)].ask(kind, of: &table, base: base)
    }

    mutating func insert(_ keys: AttributeValue?..., by author: UInt64 = 1, base: Revision? = nil) -> Judgement {
      judge(
        .insert(
          keys.map { NewItem(attributes: [Attribute(name: "id", value: $0)]) }, .end(of: KeyTests.handle)), by: author,
        base: base)
    }

    func item(_ key: AttributeValue) -> ItemID? { table.state.item(forKey: key) }

    var isSound: Bool { table.state.brokenInvariant() == nil }
  }

  @Test func `a key leads to its item, whatever happens to it`() throws {
    var keyed = Keyed()
    #expect(keyed.insert(.text("a"), .number(7), nil, .text("")).isAccepted)
    let ids = keyed.table.state.itemIDs(in: Self.handle)
    #expect(keyed.item(.text("a")) == ids[0] && keyed.item(.number(7)) == ids[1] && keyed.item(.text("")) == ids[3])
    #expect(keyed.item(.text("7")) == nil && keyed.item(.number(0)) == nil)
    #expect(keyed.judge(.update(ids[0], attributes: [Attribute("id", "b")], representations: [])).isAccepted)
    #expect(keyed.item(.text("a")) == nil && keyed.item(.text("b")) == ids[0])
    #expect(keyed.judge(.remove(.one(ids[0]))).isAccepted)
    #expect(keyed.item(.text("b")) == nil)
    #expect(keyed.judge(.undo(SequenceNumber(rawValue: 3))).isAccepted)
    #expect(keyed.item(.text("b")) == ids[0] && keyed.isSound)
  }

  @Test func `of two authors who choose one key at the same time, the second is refused`() {
    var keyed = Keyed()
    let base = keyed.table.state.revision
    #expect(keyed.insert(.text("a"), by: 1, base: base).isAccepted)
    #expect(keyed.insert(.text("x"), .text("a"), by: 2, base: base).refusal?.reason == .duplicateKey)
    #expect(keyed.item(.text("x")) == nil, "nothing of a refused operation stays")
    #expect(keyed.insert(.text("b"), .text("b"), by: 2).refusal?.reason == .duplicateKey)
    #expect(keyed.table.state.count(in: Self.handle) == 1 && keyed.isSound)
  }

  @Test func `an item with a key is not copied, one without is`() throws {
    var keyed = Keyed()
    #expect(keyed.insert(.text("a"), nil).isAccepted)
    let ids = keyed.table.state.itemIDs(in: Self.handle)
    #expect(keyed.judge(.move([ids[0]], to: .end(of: Self.handle), suggested: .copy)).refusal?.reason == .duplicateKey)
    #expect(keyed.judge(.move([ids[1]], to: .end(of: Self.handle), suggested: .copy)).isAccepted)
    // Nor is one that another has removed since.
    let base = keyed.table.state.revision
    #expect(keyed.judge(.remove(.one(ids[0])), by: 2).isAccepted)
    #expect(
      keyed.judge(.move([ids[0]], to: .end(of: Self.handle), suggested: .copy), base: base).refusal?.reason
        == .duplicateKey)
    #expect(keyed.isSound)
  }

  @Test func `what returns needs its key`() {
    var keyed = Keyed()
    #expect(keyed.insert(.text("a"), .text("b")).isAccepted)
    let ids = keyed.table.state.itemIDs(in: Self.handle)
    #expect(keyed.judge(.remove(ItemList(ids))).isAccepted)
    #expect(keyed.insert(.text("b"), by: 2).isAccepted)
    #expect(keyed.judge(.undo(SequenceNumber(rawValue: 2))).refusal?.reason == .duplicateKey)
    let other = keyed.table.state.itemIDs(in: Self.handle)[0]
    #expect(keyed.judge(.update(other, attributes: [Attribute("id", "c")], representations: []), by: 2).isAccepted)
    #expect(keyed.judge(.undo(SequenceNumber(rawValue: 2))).isAccepted)
    // The undo of the update would give the key that has returned.
    #expect(keyed.judge(.undo(SequenceNumber(rawValue: 2)), by: 2).refusal?.reason == .duplicateKey)
    #expect(keyed.isSound)
  }

  @Test(arguments: (1...20).map(UInt64.init))
  func `the index equals a list of all keys`(seed: UInt64) {
    var random = RandomSource(seed: seed)
    var keyed = Keyed()
    for _ in 0..<300 {
      let ids = keyed.table.state.itemIDs(in: Self.handle)
      let keys = ids.map { keyed.table.state.face(of: $0)?["id"] }
      let key: AttributeValue? = random.next(below: 8) == 0 ? nil : .number(Int64(random.next(below: 40)))
      let isFree = key.map { !keys.contains($0) } ?? true
      if ids.isEmpty || random.next(below: 3) == 0 {
        #expect(keyed.insert(key).isAccepted == isFree, "seed \(seed)")
      } else {
        let index = Int(random.next(below: UInt64(ids.count)))
        if random.next(below: 2) == 0 {
          #expect(keyed.judge(.remove(.one(ids[index]))).isAccepted)
        } else {
          let update = keyed.judge(
            .update(ids[index], attributes: [Attribute(name: "id", value: key)], representations: []))
          #expect((update.refusal?.reason == .duplicateKey) == !(isFree || keys[index] == key), "seed \(seed)")
        }
      }
      if random.next(below: 4) == 0 {
        _ = keyed.judge(.undo(SequenceNumber(rawValue: random.next(below: keyed.authors[1]?.last.rawValue ?? 1))))
      }
      #expect(keyed.isSound, "seed \(seed)")
    }
  }

  @Test func `I12: a replica finds one of the items that a daemon sends with one key, whichever goes`() throws {
    for gone in 0..<2 {
      var replica = Table(replicaOf: TableState(type: Self.type))
      let ids = [ItemID(rawValue: 1), ItemID(rawValue: 2)]
      func apply(_ change: Change) throws {
        try replica.apply(
          Diff(
            revision: replica.state.revision.next, author: SessionID(rawValue: 1), sequence: .zero, changes: [change]))
      }
      let items = ids.map { Item(id: $0, collection: Self.handle, face: Face(attributes: [Attribute("id", "a")])) }
      try apply(.inserted(items, .end(of: Self.handle)))
      #expect(replica.state.item(forKey: .text("a")).map(ids.contains) == true)
      #expect(replica.state.brokenInvariant() != nil && replica.state.brokenInvariant(isJudged: false) == nil)
      try apply(.removed([ids[gone]]))
      #expect(replica.state.item(forKey: .text("a")) == ids[1 - gone] && replica.state.brokenInvariant() == nil)
    }
  }

  /// I8: hashes of keys cannot be chosen, and the index is part of the memory that is charged.
  @Test func `the index is charged`() {
    var keyed = Keyed()
    let before = keyed.table.memoryBytes
    for number in 0..<1_000 { #expect(keyed.insert(.number(Int64(number))).isAccepted) }
    #expect(keyed.table.state.keys.map { $0.memoryBytes >= 1_000 * 16 } == true)
    #expect(keyed.table.memoryBytes - before > 1_000 * (TableLimits.itemContentBytes + 32))
    #expect(
      Table(type: TableType(name: "plain", collections: [], kinds: []), random: RandomSource(seed: 1)).state.keys == nil
    )
  }

  @Test func `texts are hashed as SipHash says`() {
    // The test vectors of the authors: the bytes 0, 1, 2 … under the key 0 … 15.
    let hash = SipHash(k0: 0x0706_0504_0302_0100, k1: 0x0F0E_0D0C_0B0A_0908)
    #expect(hash([UInt8]()) == 0x726F_DB47_DD0E_0E31)
    #expect(hash(Array(UInt8(0)..<8)) == 0x93F5_F579_9A93_2462)
    #expect(hash(Array(UInt8(0)..<15)) == 0xA129_CA61_49BE_45E5)
  }
}

extension Judgement {
  fileprivate var isAccepted: Bool { diff != nil }
}
