import BaizeTable

/// What table types in Swift are made of. They are written as documents are: each kind with its collections.
extension SimulatedTypes {
  /// A kind, and the collections of it that are always there.
  struct Group {
    let kind: CollectionKind
    let collections: [(id: String, owner: SeatNumber)]

    /// One collection, which has the name of its kind unless others are given.
    init(_ kind: CollectionKind, _ ids: [String]? = nil) {
      self.kind = kind
      collections = (ids ?? [kind.name]).map { ($0, .spectator) }
    }

    /// A collection for each of the first seats, which owns it.
    init(_ kind: CollectionKind, ofSeats count: UInt32) {
      self.kind = kind
      collections = (0..<count).map { ("\(kind.name)/\($0 + 1)", SeatNumber(rawValue: $0 + 1)) }
    }
  }

  /// - Parameters:
  ///   - groups: The collections, in the order of their handles.
  ///   - opened: The kinds of collections that items open; they are numbered behind those of the groups.
  static func make(
    _ name: String, seats: Int, contention: Contention = .first, turns: TurnPolicy = .free, claims: Bool = false,
    key: String? = nil, requiresInvite: Bool = false, partialMoves: Bool = false, _ groups: [Group],
    opened: [CollectionKind] = [], actions: [Action] = [], endings: [Ending] = [],
    timeLimits: TimeLimits = TimeLimits(),
    decks: [Deck], faceBytes: Int? = nil
  ) -> TableType {
    TableType(
      name: name, document: name, seatsMax: seats, contention: contention, turns: turns, claims: claims, key: key,
      requiresInvite: requiresInvite, allowsPartialMoves: partialMoves,
      collections: groups.enumerated().flatMap { kind, group in
        group.collections.map { CollectionRules(id: $0.id, kind: kind, owner: $0.owner) }
      },
      kinds: groups.map(\.kind) + opened,
      variables: turns == .turns ? [Attribute(TableState.turnVariable, 1)] : [], actions: actions, endings: endings,
      timeLimits: timeLimits, setUp: SetUp(decks: decks), faceBytes: faceBytes)
  }

  static func handle(_ number: UInt32) -> CollectionHandle { CollectionHandle(rawValue: number) }

  static let everything: DropOperation.Set = [.move, .copy, .delete]

  /// Accepts moved, copied and new items.
  static let anything = AcceptRule(operations: [.move, .copy], inserts: true)

  static let one = Term.constant(.number(1))
  static let never = Refusal(Reason(rawValue: "NEVER"))

  static func action(_ name: String, _ steps: Action.Step...) -> Action {
    Action(name: name, cases: [.init(steps: steps)], otherwise: never)
  }

  /// An action on the items that it names.
  static func action(_ name: String, onItems step: Action.Step, isOutOfTurn: Bool = false) -> Action {
    Action(
      name: name, items: .subject, isOutOfTurn: isOutOfTurn, cases: [.init(steps: [step])], otherwise: never)
  }

  /// Items numbered from 1.
  static func numbered(
    _ count: Int, of attribute: String = "number", isShuffled: Bool = false, _ deals: [Deck.Deal]
  ) -> Deck {
    Deck(contents: .numbered(count: count, attribute: attribute), isShuffled: isShuffled, deals: deals)
  }

  /// A deal of all items that are left, unless a number is given.
  static func deal(_ count: Int? = nil, to number: UInt32, up: Deck.Deal.Up = .all) -> Deck.Deal {
    Deck.Deal(to: handle(number), count: count, up: up)
  }
}
