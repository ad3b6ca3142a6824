import BaizeTable
import BaizeTableTypes
import Testing

@Suite struct OptionTests {
  @Test(arguments: [
    ("klondike?draw", "'draw' is not an option: expected name=value, joined by '&'"),
    ("klondike?draw=", "'draw=' is not an option: expected name=value, joined by '&'"),
    ("klondike?=3", "'=3' is not an option: expected name=value, joined by '&'"),
    ("klondike?draw=3&", "'' is not an option: expected name=value, joined by '&'"),
    ("klondike?&draw=3", "'' is not an option: expected name=value, joined by '&'"),
    ("klondike?draw=2", "the option 'draw' cannot be '2'; expected one of 1, 3"),
    ("klondike?draw=03", "the option 'draw' cannot be '03'; expected one of 1, 3"),
    ("klondike?draw=3=3", "the option 'draw' cannot be '3=3'; expected one of 1, 3"),
    ("klondike?draw=3&draw=3", "the option 'draw' is given twice"),
    ("klondike?emptyPile=King", "the option 'emptyPile' cannot be 'King'; expected one of king, any"),
    ("klondike?redeals=-2", "the option 'redeals' cannot be '-2'; expected a number from -1 to 1000"),
    ("klondike?redeals=many", "the option 'redeals' cannot be 'many'; expected a number from -1 to 1000"),
    ("klondike?redeals=+1", "the option 'redeals' cannot be '+1'; expected a number from -1 to 1000"),
    (
      "klondike?redeals=99999999999999999999",
      "the option 'redeals' cannot be '99999999999999999999'; expected a number from -1 to 1000"
    ),
    ("klondike?foundationToTableau=1", "the option 'foundationToTableau' cannot be '1'; expected true or false"),
    (
      "klondike?drawn=3",
      "unknown option 'drawn'; this type has draw, redeals, emptyPile, foundationToTableau"
    ),
    ("grid?x=1", "unknown option 'x'; this type has none"),
    ("klondyke", "unknown table type 'klondyke'; did you mean 'klondike'?"),
    ("", "unknown table type ''"), ("?draw=3", "unknown table type ''"),
    ("klondike\n?draw=3", "unknown table type 'klondike\u{FFFD}'; did you mean 'klondike'?"),
  ])
  func `an unreadable option or unknown type is refused with a sentence`(text: String, sentence: String) {
    #expect { try TableTypeLibrary.bundled.tableType(text) } throws: { "\($0)" == sentence }
  }

  @Test func `a cache shares the types of a document`() throws {
    let document = try #require(TableTypeLibrary.bundled["klondike"])
    let three = try document.makeTableType(options: "draw=3").options
    let cache = TableTypeCompiler()
    let first = try cache.tableType(document: document.text, options: three)
    let other = try cache.tableType(document: document.text, options: document.defaultTableType.options)
    #expect(try cache.tableType(document: document.text, options: three) === first)
    #expect(other !== first && first.options == three)
    #expect(throws: DocumentMistakes.self) { _ = try cache.tableType(document: "{}", options: []) }
  }

  @Test func `a cache gives up the type that was compiled first`() throws {
    let cache = TableTypeCache()
    let texts = (1...DocumentLimits.cachedTypesMax + 2).map { "hearts?score=\($0)" }
    for text in texts.dropLast() { _ = try cache.tableType(named: text) }
    _ = try cache.tableType(named: texts[1])
    _ = try cache.tableType(named: texts[texts.count - 1])
    #expect(texts.prefix(2).allSatisfy { !cache.isCompiled($0) })
    #expect(texts.dropFirst(2).allSatisfy(cache.isCompiled))
  }

  /// J3.
  @Test func `a table's type is compared with the name in a hello without compiling that`() throws {
    let cache = TableTypeCache()
    let type = try TableTypeLibrary.bundled.tableType("hearts?score=50")
    func isType(_ text: String) throws -> Bool { try cache.isType(type, named: text) }
    #expect(try isType("hearts?score=50") && isType("hearts?seconds=0&score=50"))
    for text in ["hearts", "hearts?score=51", "hearts?score=50&seconds=1", "list"] {
      #expect(try !isType(text) && !cache.isCompiled(text), "\(text)")
    }
    #expect(!cache.isCompiled("hearts?score=50"))
    #expect(throws: TableTypeFailure.self) { try isType("hearts?score=0") }
    #expect(throws: TableTypeFailure.self) { try isType("hearts?points=50") }
    #expect(throws: TableTypeFailure.self) { try isType("harts") }
    let plain = try cache.tableType(named: "hearts")
    #expect(try cache.isType(plain, named: "hearts?score=100&seconds=0") && cache.isType(plain, named: "hearts?"))
  }

  @Test func `an option text that is too long is refused`() {
    let text = "klondike?" + Array(repeating: "draw=3", count: 200).joined(separator: "&")
    #expect(throws: TableTypeError.unreadableOption(String(text.dropFirst(9)))) {
      try TableTypeLibrary.bundled.tableType(text)
    }
  }

  @Test(arguments: ["klondike", "klondike?", "klondike?draw=1", "klondike?emptyPile=king&draw=1"])
  func `options that are not given have their defaults`(text: String) throws {
    let klondike = try TableTypeLibrary.bundled.tableType(text)
    #expect(
      klondike.options == [
        Attribute("draw", 1), Attribute("emptyPile", "king"), Attribute("foundationToTableau", "true"),
        Attribute("redeals", -1),
      ])
  }

  @Test func `a client that gets the document and the chosen options has the same rules`() throws {
    let chosen = try TableTypeLibrary.bundled.tableType("klondike?draw=3&redeals=0")
    let document = try TableTypeDocument(parsing: chosen.document)
    #expect(try document.makeTableType(options: chosen.options).options == chosen.options)
    #expect(try document.makeTableType(options: [Attribute]()) === document.defaultTableType)
    #expect(throws: TableTypeError.self) { try document.makeTableType(options: [Attribute("draw", "3")]) }
    #expect(throws: TableTypeError.self) { try document.makeTableType(options: [Attribute("draw", 2)]) }
    #expect(throws: TableTypeError.self) { try document.makeTableType(options: [Attribute("drew", 3)]) }
    #expect(throws: TableTypeError.self) { try document.makeTableType(options: [Attribute(name: "draw", value: nil)]) }
    #expect(throws: TableTypeError.repeatedOption("draw")) {
      try document.makeTableType(options: [Attribute("draw", 3), Attribute("draw", 3)])
    }
  }

  @Test func `options that are valid only alone are refused together`() throws {
    let document = try TableTypeDocument(
      parsing: """
        { "baize": 1, "name": "two", "collections": [{ "kind": "a" }, { "kind": "b" }],
          "options": { "x": { "type": "integer", "min": 0, "max": 6, "default": 0 },
                       "y": { "type": "integer", "min": 0, "max": 6, "default": 0 } },
          "setUp": [{ "numbered": { "count": 10, "attribute": "n" }, "deal": [
            { "to": "a", "count": { "sum": [{ "option": "x" }, { "option": "y" }] } }, { "to": "b" }] }] }
        """)
    #expect(Checker.mistakes(in: Array(document.text.utf8)) == [])
    #expect(try document.makeTableType(options: "x=4&y=6").setUp.decks.first?.deals.first?.count == 10)
    #expect {
      try document.makeTableType(options: "x=6&y=6")
    } throws: {
      "\($0)" == "these options cannot be combined: 'a' gets 12 items, and 10 are left"
    }
  }

  @Test func `a library has one document per name`() throws {
    let mine = try TableTypeDocument(
      parsing: #"{"baize": 1, "name": "klondike", "collections": [{"kind": "a"}], "title": "Mine"}"#)
    let library = TableTypeLibrary.bundled.adding(mine)
    #expect(library.documents.map(\.name) == TableTypeLibrary.bundled.documents.map(\.name))
    #expect(library["klondike"]?.title == "Mine" && TableTypeLibrary.bundled["klondike"]?.title == "Klondike")
    let names = ["board", "grid", "hand", "hearts", "kanban", "klondike", "list", "nerts", "playlist", "speed"]
    #expect(library.documents.map(\.name) == names)
  }

  @Test func `J4: a question mark without options is as if it were not there`() throws {
    let library = TableTypeLibrary.bundled
    #expect(try library.tableType("klondike?") === library.tableType("klondike"))
  }

  /// U+212A, the Kelvin sign, is canonically equivalent to a K.
  @Test func `F10: names of types and options are compared byte by byte`() throws {
    let document = try TableTypeDocument(
      parsing: """
        { "baize": 1, "name": "K", "collections": [{ "kind": "a" }],
          "options": { "K": { "type": "choice", "values": ["K", "L"], "default": "L" } } }
        """)
    let cache = TableTypeCache(TableTypeLibrary().adding(document))
    #expect(try cache.tableType(named: "K?K=K").options == [Attribute("K", "K")])
    for text in ["\u{212A}?K=K", "K?\u{212A}=K", "K?K=\u{212A}"] {
      #expect(throws: TableTypeFailure.self, "\(text)") { try cache.tableType(named: text) }
    }
    #expect(throws: TableTypeError.self) { try document.makeTableType(options: [Attribute("\u{212A}", "K")]) }
  }

  @Test func `a cache shares compiled types`() throws {
    let cache = TableTypeCache()
    let first = try cache.tableType(named: "list?items=7")
    #expect(try cache.tableType(named: "list?items=7") === first)
    for items in 100..<300 {
      #expect(try cache.tableType(named: "list?items=\(items)").options == [Attribute("items", Int64(items))])
    }
    #expect(try cache.tableType(named: "list?items=7").options == first.options)
    #expect(throws: TableTypeFailure.self) { try cache.tableType(named: "list?items=x") }
  }
}
