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
  /// Three piles where the first mover wins and no move is partial; one seat more than most tests use.
  static let strict = make(
    "strict", seats: 7,
    [
      Group(
        CollectionKind(name: "pile", lift: LiftRule(offers: everything), accept: anything, allowsUpdate: true),
        ["a", "b", "c"])
    ],
    decks: [numbered(12, [deal(4, to: 1), deal(4, to: 2), deal(4, to: 3)])])

  /// Two lists of items with keys, of which there are few: the notes that clients make.
  static let keyed = make(
    "keyed", seats: 8, contention: .last, key: "note", partialMoves: true,
    [
      Group(
        CollectionKind(name: "list", lift: LiftRule(offers: everything), accept: anything, allowsUpdate: true),
        ["left", "right"])
    ],
    decks: [numbered(4, of: "note", [deal(to: 1)]), numbered(4, [deal(to: 2)])])

  /// Collections that change destinations: limited, at the start, at the end, redirected, end only.
  static let sorter = make(
    "sorter", seats: 8, contention: .last, partialMoves: true,
    [
      ("any", anything),
      ("limited", AcceptRule(inserts: true, capacity: Capacity(itemsMax: 4, acceptsPart: true))),
      ("start", AcceptRule(inserts: true, landing: .start)),
      ("end", AcceptRule(inserts: true, landing: .end)),
      ("redirect", AcceptRule(operations: [.move, .copy], redirect: handle(1))),
      ("endOnly", AcceptRule(operations: [.move, .copy], landing: .endOnly)),
    ].map { Group(CollectionKind(name: $0, lift: LiftRule(offers: everything), accept: $1)) },
    decks: [numbered(14, [deal(6, to: 1), deal(2, to: 2), deal(2, to: 3), deal(2, to: 4), deal(2, to: 6)])])

  /// A visible hand and a hidden bag: an item in the bag gets a new id.
  static let bag = make(
    "bag", seats: 8,
    [
      Group(CollectionKind(name: "hand", lift: LiftRule(offers: everything), accept: AcceptRule(inserts: true))),
      Group(CollectionKind(name: "bag", faces: .down)),
      Group(CollectionKind(name: "row", faces: .each, accept: AcceptRule(landing: .end), turnsExposed: true)),
    ],
    actions: [
      action("shake", .shuffle(handle(2))), action("take", .deal(from: handle(2), to: handle(1), count: one)),
      action("sweep", .deal(from: handle(1), to: handle(2), count: nil)),
      action("turn", onItems: .turn(up: false)),
    ],
    decks: [numbered(14, isShuffled: true, [deal(5, to: 1), deal(4, to: 2), deal(to: 3, up: .last)])])
}
