import TestSupport

@testable import BaizeTable

/// The file `Protocol/vectors/rebase.json`, whose `description` explains the fields.
struct RebaseVectors: Decodable {
  var description: String
  var cases: [Case]

  struct Case: Decodable, Sendable, CustomStringConvertible {
    var id: String
    var says: String
    var contention: String?
    var partialMoves: Bool?
    var history: Int?
    var answers: Int?
    var collections: [Collection]
    var operations: [Operation]
    var final: [String: [String]]

    var description: String { "\(id): \(says)" }
  }

  struct Collection: Decodable, Sendable {
    var id: String
    var items: [String]
    var lift: String?
    var accepts: [String]?
    var landing: String?
    var capacity: Int?
    var acceptsPart: Bool?
    var redirect: String?
    var faces: String?
  }

  struct Operation: Decodable, Sendable {
    var author: UInt64
    var seq: UInt64
    var base: UInt64
    var unanswered: UInt32?
    var move: [String]?
    var copy: [String]?
    var insert: [String]?
    var remove: [String]?
    var draw: [String]?
    var undo: UInt64?
    var to: String?
    var before: String?
    var then: String?
    var after: String?
    var start: Bool?
    var makes: [String]?
    var verdict: String
    var rebased: Bool?
    var redirected: Bool?
  }

  /// The file's content. An unreadable file has no cases, which fails the tests.
  static let file: RebaseVectors = {
    do {
      return try Repository.decode("Protocol/vectors/rebase.json")
    } catch {
      return RebaseVectors(description: "\(error)", cases: [])
    }
  }()
}

extension RebaseVectors.Case {
  /// The table type that the case describes.
  var type: TableType {
    let ids = collections.map(\.id)
    func handle(_ id: String) -> CollectionHandle { CollectionHandle(index: ids.firstIndex(of: id) ?? -1) }
    let operations: [String: DropOperation] = ["move": .move, "copy": .copy, "delete": .delete]
    let kinds = collections.map { collection in
      CollectionKind(
        name: collection.id, faces: collection.faces == "down" ? .down : .up,
        lift: LiftRule(
          shape: collection.lift == "none" ? .none : collection.lift == "run" ? .run : .any,
          offers: [.move, .copy, .delete]),
        accept: AcceptRule(
          operations: (collection.accepts ?? ["move", "copy"]).compactMap { operations[$0] }, inserts: true,
          landing: collection.landing == "end" ? .end : .anywhere, redirect: collection.redirect.map(handle),
          capacity: collection.capacity.map { Capacity(itemsMax: $0, acceptsPart: collection.acceptsPart ?? false) }))
    }
    let draw = Action(
      name: "draw",
      cases: [Action.Case(steps: [.deal(from: handle("stock"), to: handle("waste"), count: .constant(.number(1)))])],
      otherwise: Refusal(.unknownAction))
    return TableType(
      name: id, seatsMax: 8, contention: contention == "first" ? .first : .last,
      allowsPartialMoves: partialMoves ?? false,
      collections: ids.enumerated().map { CollectionRules(id: $1, kind: $0) }, kinds: kinds,
      actions: ids.contains("stock") ? [draw] : [],
      setUp: SetUp(
        decks: collections.enumerated().map { index, collection in
          Deck(
            contents: .items(Types.named(collection.items)),
            deals: [Deck.Deal(to: CollectionHandle(index: index), count: nil, up: .all)])
        }))
  }
}
