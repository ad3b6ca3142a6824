import BaizeTable
import BaizeTableTypes
import Testing

/// A table moves to another document of its type if it fits, and otherwise each reason is named (I5, I6, M1–M6): every bundled
/// type, changed in each way.
@Suite struct MigrationTests {
  static let names = [
    "grid", "hand?players=3", "kanban?columns=fixed&doing=2&cards=8", "klondike?draw=3", "list?items=12",
    "nerts?players=3",
    "playlist", "speed",
  ]

  /// A table of a bundled type, with two taken seats where it has them, and its document.
  struct Case {
    let text: String
    let state: TableState
    let document: EditedDocument

    init(_ text: String) throws {
      self.text = text
      let type = try TableTypeLibrary.bundled.tableType(text)
      document = try EditedDocument(type.name)
      var table = Table(type: type, random: RandomSource(seed: 7))
      let seats = (1...min(2, UInt32(type.seatsMax))).map {
        Seat(number: SeatNumber(rawValue: $0), name: "\($0)", person: SessionID(rawValue: UInt64($0)))
      }
      _ = table.seat(seats)
      state = table.state
    }

    /// The kinds that have items.
    var filledKinds: [String] {
      state.type.kinds.map(\.name).filter { name in
        state.handles.contains { state.count(in: $0) > 0 && kind(of: $0).name == name }
      }
    }

    func kind(of handle: CollectionHandle) -> CollectionKind {
      state.kind(of: handle)
    }

    /// Returns the kinds of obstacles to a document, each once, in order; `nil` if the document has mistakes.
    func obstacles(to edited: EditedDocument, hasSessions: Bool = true) -> [String]? {
      guard let present = edited.document?.presentType(for: state.type, named: text) else { return nil }
      let all = present.obstacles + state.obstacles(to: present.type, hasSessions: hasSessions)
      return all.map(\.word).reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }
  }

  // MARK: What fits

  @Test(arguments: names) func `a document that adds to a type fits, and the table is as before`(text: String) throws {
    let table = try Case(text)
    let document = table.document
    var edits = [
      document.with("title", "Another title"),
      document.with("show", nil),
      document.with("undo", table.state.type.allowsUndo ? false : true),
      document.with("contention", table.state.type.contention == .first ? "last" : "first"),
      document.with("claims", true),
      document.with("invites", true),
      document.with("variables", "rounds", 3),
      document.with("variables", "rounds/{seat}", "none"),
      document.with("options", "pace", ["type": "boolean", "default": true]),
      document.with("checks", "never", [["require": false, "else": "NEVER"]]),
      document.with("actions", "wave", ["cases": [["steps": [["set": ["rounds": 1]]]]]]).with("variables", "rounds", 0),
    ]
    var added = document
    added.kinds.append(["kind": "attic", "faces": "down"])
    edits.append(added)
    for name in document.kindNames {
      edits.append(document.with(kind: name, "lift", "none"))
      edits.append(document.with(kind: name, "accept", "closed"))
      // A limit below the number of items refuses only those that come.
      edits.append(document.with(kind: name, "accept", ["capacity": ["max": 0]]))
      edits.append(document.with(kind: name, "updates", true))
    }
    var tried = 0
    for edited in edits {
      guard let present = edited.document?.presentType(for: table.state.type, named: text) else { continue }
      tried += 1
      let obstacles = present.obstacles + table.state.obstacles(to: present.type, hasSessions: true)
      // Where faces are hidden, what may be put in makes them larger, never smaller.
      let document = try edited.text
      #expect(obstacles == [], "\(document)")
      try expectSame(table.state, table.state.carried(to: present.type))
    }
    #expect(tried > 10 + document.kindNames.count)
  }

  @Test(arguments: names) func `variables that are new begin, and those that are gone end`(text: String) throws {
    let table = try Case(text)
    let with = table.document.with("variables", "rounds", 3).with("variables", "word", "a")
    let present = try #require(with.document?.presentType(for: table.state.type, named: text))
    let moved = try table.state.carried(to: present.type)
    var continued = Table(restoring: moved, random: RandomSource(seed: 1))
    try continued.apply(table.state.migrationDiff(to: present.type))
    #expect(continued.state.variable("rounds") == .number(3) && continued.state.variable("word") == .text("a"))
    #expect(continued.state.revision == table.state.revision.next)
    // And back.
    try continued.apply(Diff(revision: continued.state.revision.next, author: .daemon, sequence: .zero))
    var back = Table(restoring: try continued.state.carried(to: table.state.type), random: RandomSource(seed: 1))
    try back.apply(continued.state.migrationDiff(to: table.state.type))
    #expect(back.state.variables == table.state.variables)
  }

  // MARK: What does not fit

  @Test(arguments: names) func `a collection with items stays`(text: String) throws {
    let table = try Case(text)
    for name in table.filledKinds {
      let renamed = table.document.renaming(kind: name, to: "elsewhere")
      #expect(table.obstacles(to: renamed, hasSessions: false)?.contains("collectionGone") == true, "\(name)")
    }
    for name in table.document.kindNames where !table.filledKinds.contains(name) {
      let renamed = table.document.renaming(kind: name, to: "elsewhere")
      #expect(table.obstacles(to: renamed, hasSessions: false) == [], "\(name)")
    }
  }

  @Test(arguments: names) func `handles stay while sessions are remembered`(text: String) throws {
    let table = try Case(text)
    var edited = table.document
    edited.kinds.insert(["kind": "attic"], at: 0)
    let present = try #require(edited.document?.presentType(for: table.state.type, named: text))
    #expect(table.obstacles(to: edited) == ["handle"])
    #expect(table.state.obstacles(to: present.type, hasSessions: true).count == table.state.type.collections.count)
    #expect(table.obstacles(to: edited, hasSessions: false) == [])
    try expectSame(table.state, table.state.carried(to: present.type))
  }

  @Test(arguments: names) func `faces stay as visible as they are, and hidden ones hidden`(text: String) throws {
    let table = try Case(text)
    var tried = 0
    for name in table.filledKinds {
      let kind = try #require(table.state.type.kinds.first { $0.name == name })
      for (word, rule) in [("up", FaceRule.up), ("down", .down), ("each", .each), ("owner", .owner)] {
        let edited = table.document.with(kind: name, "faces", word).with(kind: name, "exposed", nil).with("key", nil)
        // A document may have mistakes with the table's options alone.
        guard let obstacles = table.obstacles(to: edited), obstacles.first != "options" else { continue }
        tried += 1
        // What is private is its owner's, whatever its faces.
        guard !kind.isPrivate || rule == .down else {
          #expect(obstacles == [])
          continue
        }
        let fits = rule == kind.faces || (rule == .each && kind.faces != .owner)
        switch (kind.faces, rule) {
        case (.each, .up), (.down, .up), (.owner, .up), (.owner, .each), (.down, .owner):
          #expect(obstacles.contains("facesShown"), "\(name): \(kind.faces) to \(word)")
        case (.each, .down), (.up, .down), (.up, .owner), (.owner, .down):
          #expect(obstacles.contains("facesHidden"), "\(name): \(kind.faces) to \(word)")
        case (.each, .owner): #expect(!obstacles.isEmpty)
        case _: break
        }
        if fits { #expect(obstacles == [], "\(name): \(kind.faces) to \(word)") }
      }
      let edited = table.document.with(kind: name, "private", kind.isPrivate ? nil : true)
      if let obstacles = table.obstacles(to: edited), obstacles.first != "options" {
        #expect(obstacles.contains("audience"), "\(name)")
      }
    }
    #expect(tried >= table.filledKinds.count)
  }

  @Test(arguments: names) func `seats, names and versions stay`(text: String) throws {
    let table = try Case(text)
    if table.state.seats.count > 1, let obstacles = table.obstacles(to: table.document.with("seats", ["max": 1])) {
      #expect(obstacles.contains("seatTaken"))
    }
    let type = try #require(table.document.with("name", "other").document).defaultTableType
    #expect(table.state.obstacles(to: type, hasSessions: false) == [.otherType("other")])
  }

  @Test(arguments: [
    "hand?players=3", "kanban?columns=fixed&doing=2&cards=8", "klondike?draw=3", "list?items=12", "nerts?players=3",
  ])
  func `options keep their values`(text: String) throws {
    let table = try Case(text)
    let options = try #require(table.document.members["options"] as? [String: [String: Any]])
    let old = try #require(TableTypeLibrary.bundled[table.state.type.name])
    for (name, option) in options {
      let value = try #require(table.state.type.options.first { $0.name == name }?.value)
      let isDefault = old.options.first { $0.name == name }?.defaultValue == value
      if let least = option["min"] as? Int, let most = option["max"] as? Int, case .number(let number) = value {
        var narrow = option
        if number > least {
          (narrow["max"], narrow["default"]) = (Int(number) - 1, least)
        } else if number < most {
          (narrow["min"], narrow["default"]) = (Int(number) + 1, most)
        }
        if let obstacles = table.obstacles(to: table.document.with("options", name, narrow)) {
          #expect(obstacles.contains("optionValue"), "\(name)")
        }
      }
      var other = option
      if let least = option["min"] as? Int, !isDefault {
        // Another default changes nothing.
        other["default"] = least
        let edited = table.document.with("options", name, other)
        guard let present = edited.document?.presentType(for: table.state.type, named: text) else { continue }
        #expect(present.obstacles == [] && present.type.options == table.state.type.options)
        #expect(try edited.document?.makeTableType(options: Self.options(present.text)).options == present.type.options)
      }
    }
    // An option that is gone and was not at its default.
    let name = table.state.type.name
    let plain = try TableTypeDocument(
      parsing: #"{"baize": 1, "name": "\#(name)", "collections": [{ "kind": "a" }]}"#)
    let present = plain.presentType(for: table.state.type, named: text)
    #expect(present.obstacles.map(\.word).contains("optionGone") && present.text == name)
  }

  private static func options(_ text: String) -> String {
    text.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
  }

  @Test func `keys are unique, pins can be undone, a status is one that an ending gives, variables keep their kind`()
    throws
  {
    let board = try Case("kanban?columns=fixed&cards=8")
    #expect(board.obstacles(to: board.document.with("key", "number")) == [])
    let list = try Case("list?items=2")
    var loader = StateLoader(type: list.state.type, for: .authority)
    for (number, id) in list.state.itemIDs(in: CollectionHandle(rawValue: 1)).enumerated() {
      let face = Face(attributes: [Attribute("isbn", 5), Attribute("number", Int64(number))])
      try loader.add([Item(id: id, collection: CollectionHandle(rawValue: 1), face: face, isPinned: true)])
    }
    let pinned = loader.finish(revision: .zero, status: TableState.open, variables: [], seats: [])
    func obstacles(_ edited: EditedDocument) throws -> [MigrationObstacle] {
      pinned.obstacles(to: try #require(edited.document).makeTableType(options: "items=2"), hasSessions: true)
    }
    #expect(try obstacles(list.document.with("key", "isbn")) == [.keyTaken("isbn", value: .number(5), items: 2)])
    #expect(try obstacles(list.document.with("key", "number")) == [])
    #expect(try obstacles(list.document.with("key", "nothing")) == [])
    #expect(try obstacles(list.document.with("actions", "unpin", nil)) == [.pinned(items: 2)])
    #expect(try obstacles(list.document.with("actions", "pin", nil)) == [])

    let game = try Case("klondike")
    let won = StateLoader(type: game.state.type, for: .authority).finish(
      revision: .zero, status: "won", variables: game.state.variables, seats: [])
    let ended = try #require(game.document.with("endings", [["when": false, "status": "done"]]).document)
    #expect(won.obstacles(to: ended.defaultTableType, hasSessions: false) == [.status("won")])
    let still = try #require(game.document.with("title", "T").document)
    #expect(won.obstacles(to: still.defaultTableType, hasSessions: false) == [])
    let hand = try Case("hand?players=3")
    #expect(hand.obstacles(to: hand.document.with("variables", "drawn", "nobody"))?.contains("variable") == true)
  }

  @Test func `all reasons are named, and they are sentences`() throws {
    let table = try Case("klondike?draw=3")
    var edited = table.document.with(kind: "stock", "faces", "up").with("seats", ["max": 1])
    edited = edited.with("options", "draw", ["type": "choice", "values": [1], "default": 1])
    edited.kinds.insert(["kind": "attic"], at: 0)
    let obstacles = try #require(table.obstacles(to: edited))
    #expect(obstacles == ["optionValue", "handle", "facesShown", "seatTaken"])
    let all: [MigrationObstacle] = [
      .otherType("a"), .optionGone("a", .number(1)), .optionValue("a", .text("b\u{1B}")), .options("no"),
      .collectionGone("a", items: 1), .handle(CollectionHandle(rawValue: 2), of: "a", names: "b"),
      .audience("a", items: 2), .facesShown("a", items: 2), .facesHidden("a", items: 2), .faceBytes(2, allowed: 1),
      .seatTaken(SeatNumber(rawValue: 2), seatsMax: 1), .status("won"), .variable("v"),
      .keyTaken("k", value: .text("x"), items: 2), .pinned(items: 1),
    ]
    #expect(Set(all.map(\.description)).count == all.count)
    #expect(all.allSatisfy { !$0.description.contains("\u{1B}") && !$0.description.hasSuffix(".") })
  }

  // MARK: Helpers

  /// Every viewer sees the same items, in the same order, with the same faces (I4, I6).
  private func expectSame(_ old: TableState, _ new: TableState) throws {
    #expect(new.brokenInvariant() == nil && new.itemCount == old.itemCount && new.revision == old.revision)
    #expect(new.status == old.status && new.seats == old.seats)
    for seat in Set([0, 1, 2, UInt32(old.type.seatsMax)]) {
      let (one, two) = try (old.view(for: SeatNumber(rawValue: seat)), new.view(for: SeatNumber(rawValue: seat)))
      for collection in old.handles {
        let id = old.type.collections[Int(collection.rawValue) - 1].id
        guard let other = new.type.handle(of: id) else { continue }
        #expect(two.count(in: other) == one.count(in: collection) && two.isEnabled(other) == one.isEnabled(collection))
        #expect(two.itemIDs(in: other) == one.itemIDs(in: collection))
        for item in one.itemIDs(in: collection) {
          #expect(two.face(of: item) == one.face(of: item) && two.isPinned(item) == one.isPinned(item))
          #expect(old.item(item)?.visibility == new.item(item)?.visibility)
        }
      }
    }
  }
}
