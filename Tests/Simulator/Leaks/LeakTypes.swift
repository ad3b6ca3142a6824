import BaizeSync
import BaizeTable

/// A table type whose faces can be told apart and exchanged: each card of its decks carries a mark of its own.
struct LeakTypes: TableTypeSource, TableTypeReader {
  let type: TableType

  /// The attribute with the mark. Its length differs from card to card, as faces' lengths do.
  static let mark = "~"

  /// The size that each face counts: small, so that some of those that participants make are too large.
  static let faceBytes = 400

  func tableType(named text: String) throws(TableTypeFailure) -> TableType { type }

  func tableType(document: String, options: [Attribute]) throws -> TableType { type }

  init(marking type: TableType) {
    var count = 0
    self.init(type) { item in
      count += 1
      var face = item.face
      let mark = "\(count)" + String(repeating: "·", count: count * 37 % 23)
      face.set(Attribute(Self.mark, mark))
      return face
    }
  }

  /// Returns the same type with the faces of some cards exchanged.
  ///
  /// - Parameter faces: The new faces, by the mark of the card.
  func exchanging(_ faces: [String: Face]) -> LeakTypes {
    LeakTypes(type) { item in item.face.mark.flatMap { faces[$0] } ?? item.face }
  }

  /// The faces of all cards, by mark.
  var faces: [String: Face] {
    var faces: [String: Face] = [:]
    for item in type.setUp.decks.flatMap({ $0.makeItems() }) {
      if let mark = item.face.mark { faces[mark] = item.face }
    }
    return faces
  }

  private init(_ type: TableType, _ face: (NewItem) -> Face) {
    var setUp = type.setUp
    for index in setUp.decks.indices {
      let deck = setUp.decks[index]
      setUp.decks[index] = Deck(
        contents: .items(deck.makeItems().map { NewItem(face: face($0)) }), isShuffled: deck.isShuffled,
        deals: deck.deals)
    }
    self.type = TableType(
      name: type.name, document: type.document, options: type.options, seatsMax: type.seatsMax,
      contention: type.contention, turns: type.turns, claims: type.claims, allowsUndo: type.allowsUndo,
      requiresInvite: type.requiresInvite, allowsPartialMoves: type.allowsPartialMoves,
      allowsMixedSources: type.allowsMixedSources, allowsChat: type.allowsChat, collections: type.collections,
      kinds: type.kinds,
      variables: type.variables, actions: type.actions, endings: type.endings, timeLimits: type.timeLimits,
      setUp: setUp,
      faceBytes: Self.faceBytes)
  }
}

extension Face {
  /// The mark of the card with this face.
  var mark: String? {
    if case .text(let mark)? = self[LeakTypes.mark] { mark } else { nil }
  }
}

extension TableState {
  /// Returns the items in a seat's view, and whether their faces are visible: the rules of a table type without the
  /// engine.
  func visibleItems(to seat: SeatNumber) -> [(item: Item, isFaceVisible: Bool)] {
    var visible: [(item: Item, isFaceVisible: Bool)] = []
    for handle in handles {
      let (rules, kind) = (self.rules(of: handle), self.kind(of: handle))
      let isOwn = rules.owner == seat && seat != .spectator
      guard isOwn || !kind.isPrivate else { continue }
      for item in items(in: handle, from: 0, limit: .max) {
        let isFaceVisible =
          switch kind.faces {
          case .up: true
          case .owner: isOwn
          case .down: false
          case .each: isFaceUp(item.id)
          }
        visible.append((item, isFaceVisible))
      }
    }
    return visible
  }
}
