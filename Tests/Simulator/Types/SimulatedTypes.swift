public import BaizeTable
import BaizeTableTypes

/// The bundled table types and a few made by hand, compiled once.
public struct SimulatedTypes: TableTypeSource, TableTypeReader {
  public init() {}

  /// No table type has this document.
  public struct Unknown: Error {
    public init() {}
  }

  /// The types of worlds, as a hello names them.
  public static let names: [String] = {
    let chosen = [
      "list?items=9", "grid", "klondike", "klondike?draw=3", "kanban?columns=fixed&cards=8", "playlist",
      "kanban?cards=8",
    ]
    let others = TableTypeLibrary.bundled.documents.map(\.name).filter { name in
      !chosen.contains { $0 == name || $0.hasPrefix(name + "?") }
    }
    return chosen + others + handmade.map(\.name)
  }()

  /// The types with different views.
  public static let secretNames = names.filter { type(named: $0)?.hasSecrets ?? false }

  private static let handmade = [
    strict, sorter, bag, hands, rounds, rummy, keyed, timed, columns, cabinets, shortcuts, stamps,
    sealed,
  ]

  /// In the order of the names.
  private static let types: [TableType] = names.compactMap { name in
    handmade.first { $0.name == name } ?? (try? TableTypeLibrary.bundled.tableType(name))
  }

  /// Returns the type of one of ``names``; `nil` for others.
  public static func type(named name: String) -> TableType? {
    guard let index = names.firstIndex(of: name), types.count == names.count else { return nil }
    return types[index]
  }

  /// Returns one of ``names``, or a bundled type with other options.
  public func tableType(named text: String) throws(TableTypeFailure) -> TableType {
    if let type = Self.type(named: text) { return type }
    // No world has invites to give: it is no part of the names.
    if text == Self.salon.name { return Self.salon }
    do throws(TableTypeError) {
      return try TableTypeLibrary.bundled.tableType(text)
    } catch {
      throw error.failure
    }
  }

  public func tableType(document: String, options: [Attribute]) throws -> TableType {
    for type in Self.types + [Self.salon] where type.document == document && type.options == options { return type }
    for bundled in TableTypeLibrary.bundled.documents where bundled.text == document {
      return try bundled.makeTableType(options: options)
    }
    throw Unknown()
  }
}

extension SimulatedTypes {
  static func handle(_ number: UInt32) -> CollectionHandle { CollectionHandle(rawValue: number) }

  static let everything: DropOperation.Set = [.move, .copy, .delete]

  /// Three piles where the first mover wins and no move is partial; one seat more than most tests use.
  static let strict = TableType(
    name: "strict", document: "strict", seatsMax: 7, contention: .first,
    collections: ["a", "b", "c"].map { CollectionRules(id: $0, kind: 0) },
    kinds: [
      CollectionKind(
        name: "pile", lift: LiftRule(offers: everything),
        accept: AcceptRule(operations: [.move, .copy], inserts: true),
        allowsUpdate: true)
    ],
    setUp: SetUp(decks: [
      Deck(
        contents: .numbered(count: 12, attribute: "number"),
        deals: [.init(to: handle(1), count: 4), .init(to: handle(2), count: 4), .init(to: handle(3), count: 4)])
    ]))

  /// Two lists of items with keys, of which there are few: the notes that clients make.
  static let keyed = TableType(
    name: "keyed", document: "keyed", seatsMax: 8, contention: .last, key: "note", allowsPartialMoves: true,
    collections: ["left", "right"].map { CollectionRules(id: $0, kind: 0) },
    kinds: [
      CollectionKind(
        name: "list", lift: LiftRule(offers: everything),
        accept: AcceptRule(operations: [.move, .copy], inserts: true), allowsUpdate: true)
    ],
    setUp: SetUp(decks: [
      Deck(contents: .numbered(count: 4, attribute: "note"), deals: [.init(to: handle(1))]),
      Deck(contents: .numbered(count: 4, attribute: "number"), deals: [.init(to: handle(2))]),
    ]))

  /// Collections that change destinations: limited, at the start, at the end, redirected, end only.
  static let sorter = TableType(
    name: "sorter", document: "sorter", seatsMax: 8, contention: .last, allowsPartialMoves: true,
    collections: ["any", "limited", "start", "end", "redirect", "endOnly"].enumerated().map {
      CollectionRules(id: $1, kind: $0)
    },
    kinds: [
      kind("any", AcceptRule(operations: [.move, .copy], inserts: true)),
      kind("limited", AcceptRule(inserts: true, capacity: Capacity(itemsMax: 4, acceptsPart: true))),
      kind("start", AcceptRule(inserts: true, landing: .start)),
      kind("end", AcceptRule(inserts: true, landing: .end)),
      kind("redirect", AcceptRule(operations: [.move, .copy], redirect: handle(1))),
      kind("endOnly", AcceptRule(operations: [.move, .copy], landing: .endOnly)),
    ],
    setUp: SetUp(decks: [
      Deck(
        contents: .numbered(count: 14, attribute: "number"),
        deals: [
          .init(to: handle(1), count: 6), .init(to: handle(2), count: 2), .init(to: handle(3), count: 2),
          .init(to: handle(4), count: 2), .init(to: handle(6), count: 2),
        ])
    ]))

  private static func kind(_ name: String, _ accept: AcceptRule) -> CollectionKind {
    CollectionKind(name: name, lift: LiftRule(offers: everything), accept: accept)
  }

  /// A visible hand and a hidden bag: an item in the bag gets a new id.
  static let bag = TableType(
    name: "bag", document: "bag", seatsMax: 8, contention: .first,
    collections: [
      CollectionRules(id: "hand", kind: 0), CollectionRules(id: "bag", kind: 1), CollectionRules(id: "row", kind: 2),
    ],
    kinds: [
      CollectionKind(name: "hand", lift: LiftRule(offers: everything), accept: AcceptRule(inserts: true)),
      CollectionKind(name: "bag", faces: .down, accept: AcceptRule()),
      CollectionKind(name: "row", faces: .each, accept: AcceptRule(landing: .end), turnsExposed: true),
    ],
    actions: [
      action("shake", .shuffle(handle(2))), action("take", .deal(from: handle(2), to: handle(1), count: one)),
      action("sweep", .deal(from: handle(1), to: handle(2), count: nil)),
      Action(name: "turn", items: .subject, cases: [.init(steps: [.turn(up: false)])], otherwise: never),
    ],
    setUp: SetUp(decks: [
      Deck(
        contents: .numbered(count: 14, attribute: "number"), isShuffled: true,
        deals: [
          .init(to: handle(1), count: 5), .init(to: handle(2), count: 4), .init(to: handle(3), up: .last),
        ])
    ]))
}
