import BaizeTable

extension SimulatedTypes {
  /// Two private hands and a row between them, with turns and claims. `salon` is the same by invitation.
  static let rummy = makeRummy("rummy", requiresInvite: false)
  static let salon = makeRummy("salon", requiresInvite: true)

  private static func makeRummy(_ name: String, requiresInvite: Bool) -> TableType {
    make(
      name, seats: 3, contention: .last, turns: .turns, claims: true, requiresInvite: requiresInvite,
      [
        Group(
          CollectionKind(name: "row", lift: LiftRule(offers: [.move, .delete]), accept: AcceptRule(inserts: true))),
        Group(CollectionKind(name: "hand", faces: .owner, isPrivate: true), ofSeats: 2),
      ],
      actions: [action("pass", .passTurn)],
      decks: [numbered(10, [deal(4, to: 1), deal(3, to: 2), deal(3, to: 3)])])
  }
}
