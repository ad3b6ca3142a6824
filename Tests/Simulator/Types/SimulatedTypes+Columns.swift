import BaizeTable

extension SimulatedTypes {
  /// Columns that people make, with limits and cards that go along when a column is removed, and rows in which a lane must be
  /// empty to be removed.
  static let columns: TableType = {
    func kind(_ name: String, _ opens: Opening? = nil) -> CollectionKind {
      CollectionKind(
        name: name, lift: LiftRule(offers: [.move, .delete]), accept: AcceptRule(inserts: true), allowsUpdate: true,
        opens: opens)
    }
    var limited = anything
    limited.capacity = Capacity(attribute: "number", acceptsPart: true)
    let column = Opening(3, removesItems: true)
    return make(
      "columns", seats: 8, contention: .last, partialMoves: true,
      [Group(kind("columns", column)), Group(kind("tray")), Group(kind("lanes", Opening(4)))],
      opened: [
        CollectionKind(name: "column", lift: LiftRule(offers: everything), accept: limited, allowsUpdate: true),
        kind("lane", column),
      ],
      decks: [numbered(3, [deal(to: 1)]), numbered(9, [deal(to: 2)]), numbered(2, [deal(to: 3)])])
  }()
}
