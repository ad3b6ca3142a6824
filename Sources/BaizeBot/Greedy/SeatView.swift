import BaizeSync
import BaizeTable

/// What a seat sees of a table, in the words of the table type.
struct SeatView {
  let state: TableState
  let seat: SeatNumber

  init(_ replica: Replica) {
    state = replica.state
    seat = replica.author.seat
  }

  /// The seat's number.
  var number: Int { Int(seat.rawValue) }

  // MARK: Variables

  /// Returns the number in a variable; 0 if there is none.
  func value(_ variable: String) -> Int {
    if case .number(let number)? = state.variable(variable) { Int(clamping: number) } else { 0 }
  }

  /// Returns the text in a variable; the empty text if there is none.
  func text(_ variable: String) -> String {
    if case .text(let text)? = state.variable(variable) { text } else { "" }
  }

  /// Returns a numeric option of the table; `nil` if there is none.
  func option(_ name: String) -> Int? {
    guard case .number(let number)? = state.type.options.first(where: { $0.name == name })?.value else { return nil }
    return Int(clamping: number)
  }

  // MARK: Collections

  /// Returns the number of items in a collection, hidden ones included; 0 if there is no such collection.
  func count(in name: String) -> Int { state.handle(of: name).map { state.count(in: $0) } ?? 0 }

  /// Returns a collection's id in the table type, such as `hand/1`.
  func name(of collection: CollectionHandle) -> String { state.rules(of: collection).id }

  /// Returns the name of a collection's kind, such as `hand`.
  func kind(of collection: CollectionHandle) -> String { state.kind(of: collection).name }

  /// Returns the collections of a kind that belong to nobody or to the seat.
  func collections(_ kind: String) -> [CollectionHandle] {
    state.handles.filter { self.kind(of: $0) == kind && isOpen($0) }
  }

  /// Returns whether a collection belongs to nobody or to the seat.
  func isOpen(_ collection: CollectionHandle) -> Bool {
    let owner = state.rules(of: collection).owner
    return owner == .spectator || owner == seat
  }

  // MARK: Cards

  /// Returns the cards in a collection whose faces the seat sees, in order.
  func cards(in collection: CollectionHandle?) -> [PlayingCard] {
    guard let collection else { return [] }
    return state.items(in: collection, from: 0, limit: Self.cardsMax).compactMap { card($0.id) }
  }

  func cards(in name: String) -> [PlayingCard] { cards(in: state.handle(of: name)) }

  /// Returns the last card in a collection; `nil` if there is none, or the seat does not see its face.
  func lastCard(in collection: CollectionHandle) -> PlayingCard? { state.lastItem(in: collection).flatMap(card) }

  func card(_ item: ItemID) -> PlayingCard? { state.face(of: item).flatMap { PlayingCard(item, $0) } }

  private static let cardsMax = 512

  // MARK: Operations

  /// Returns a move of an item to the end of a collection.
  func move(_ item: ItemID, to collection: CollectionHandle) -> TableOperation.Kind {
    .reorder(ReorderDifference(sources: .one(item), destination: .end(of: collection)), suggested: [])
  }

  /// Returns the moves of items to the ends of collections.
  func moves(_ items: [ItemID], to collections: [CollectionHandle]) -> [TableOperation.Kind] {
    collections.flatMap { collection in items.map { move($0, to: collection) } }
  }

  /// Returns the actions that name no items, by their names.
  func actions(_ names: Set<String>? = nil) -> [TableOperation.Kind] {
    state.type.actions.filter { $0.items != .subject && names?.contains($0.name) ?? true }.map {
      .perform(action: $0.name, items: [], nil)
    }
  }
}

/// A card of a deck of 52, as an item shows it.
struct PlayingCard: Hashable {
  let item: ItemID
  /// 0 to 3, in the order of ``Card/suits``.
  let suit: Int
  /// 1 to 14: the ace is 1 or 14, as the table type has it.
  let rank: Int

  /// Creates the card that a face shows; `nil` if it shows none.
  init?(_ item: ItemID, _ face: Face) {
    guard case .number(let rank)? = face["rank"], 1...14 ~= rank, case .text(let text)? = face["suit"],
      let suit = Card.suits.firstIndex(of: text)
    else { return nil }
    (self.item, self.suit, self.rank) = (item, suit, Int(rank))
  }

  var isRed: Bool { suit == 1 || suit == 2 }
}
