import BaizeTable

extension SimulatedTypes {
  /// Two private hands and a row between them, with turns and claims. `salon` is the same by invitation.
  static let rummy = makeRummy("rummy", requiresInvite: false)
  static let salon = makeRummy("salon", requiresInvite: true)

  private static func makeRummy(_ name: String, requiresInvite: Bool) -> TableType {
    TableType(
      name: name, document: name, seatsMax: 3, contention: .last, turns: .turns, claims: true,
      requiresInvite: requiresInvite,
      collections: [
        CollectionRules(id: "row", kind: 0), CollectionRules(id: "hand/1", kind: 1, owner: SeatNumber(rawValue: 1)),
        CollectionRules(id: "hand/2", kind: 1, owner: SeatNumber(rawValue: 2)),
      ],
      kinds: [
        CollectionKind(name: "row", lift: LiftRule(offers: [.move, .delete]), accept: AcceptRule(inserts: true)),
        CollectionKind(name: "hand", faces: .owner, isPrivate: true),
      ],
      variables: [Attribute(TableState.turnVariable, 1)],
      actions: [action("pass", .passTurn)],
      setUp: SetUp(decks: [
        Deck(
          contents: .numbered(count: 10, attribute: "number"),
          deals: [
            .init(to: CollectionHandle(rawValue: 1), count: 4), .init(to: CollectionHandle(rawValue: 2), count: 3),
            .init(to: CollectionHandle(rawValue: 3), count: 3),
          ])
      ]))
  }
}
