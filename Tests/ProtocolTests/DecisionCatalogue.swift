/// The cases of `decisions.json`. What each must come to stands with it in short; the file has it in full.
enum DecisionCatalogue {
  struct Entry {
    var decision: Decision
    /// `MOVE`-like words for what is accepted, `unchanged`, or the reason of the refusal.
    var expected: String
  }

  static let entries: [Entry] = {
    var counts: [String: Int] = [:]
    let lists = KanbanDecisions.all + PlaylistDecisions.all + GridDecisions.all
    let games = NertsDecisions.all + HandDecisions.all + SpeedDecisions.all + UndoDecisions.all
    return (KlondikeDecisions.all + ListDecisions.all + lists + games).map { entry in
      var entry = entry
      let name = String(entry.decision.type.prefix { $0 != "?" })
      counts[name, default: 0] += 1
      let number = counts[name] ?? 0
      entry.decision.id = "\(name)-\(number < 10 ? "0" : "")\(number)"
      return entry
    }
  }()

  /// - Parameter table: Collections as `pile/1: -9H 4D`; see ``piece(_:)``.
  static func entry(
    _ says: String, _ type: String, _ table: [String], _ operation: Decision.Asked, _ expected: String,
    seat: UInt32? = nil, status: String? = nil, disabled: [String]? = nil, variables: [String: Scalar]? = nil,
    seats: [UInt32]? = nil
  ) -> Entry {
    let collections = table.reduce(into: [String: [Decision.Piece]]()) { collections, line in
      let parts = line.split(separator: ":", maxSplits: 1)
      collections[String(parts[0])] = parts[1].split(separator: " ").map { piece(String($0)) }
    }
    return Entry(
      decision: Decision(
        id: "", says: says, type: type, collections: collections, variables: variables, status: status,
        disabled: disabled, seats: seats, seat: seat, operation: operation, verdict: Decision.Verdict()),
      expected: expected)
  }

  /// `4D` is the four of diamonds, `-4D` the same face down; any other word is an item with that `title`; `!word` is
  /// pinned, and `word/song` or `word/text` has such a representation.
  static func piece(_ text: String) -> Decision.Piece {
    let flags = text.prefix { $0 == "-" || $0 == "!" }
    let parts = text.dropFirst(flags.count).split(separator: "/").map(String.init)
    let types = ["song": "audio/x-song", "text": "text/plain", "image": "image/png"]
    let contents = parts.dropFirst().map {
      Decision.Content(contentType: types[$0] ?? $0, text: "\($0) of \(parts[0])")
    }
    return Decision.Piece(
      name: parts[0], attributes: card(parts[0]) ?? ["title": .text(parts[0])],
      representations: contents.isEmpty ? nil : contents, up: flags.contains("-") ? false : nil,
      pinned: flags.contains("!") ? true : nil)
  }

  private static func card(_ name: String) -> [String: Scalar]? {
    let suits: [Character: String] = ["C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"]
    let ranks = ["A": 1, "J": 11, "Q": 12, "K": 13] as [String: Int64]
    guard let suit = name.last.flatMap({ suits[$0] }) else { return nil }
    guard let rank = ranks[String(name.dropLast())] ?? Int64(name.dropLast()) else { return nil }
    return ["rank": .number(rank), "suit": .text(suit)]
  }

  // MARK: Operations in few words

  static func reorder(
    _ sources: String, _ to: String, before: String? = nil, suggested: [String]? = nil
  ) -> Decision.Asked {
    Decision.Asked(
      reorder: Decision.Reorder(
        sources: sources.split(separator: " ").map(String.init), to: to, before: before, suggested: suggested))
  }

  static func insert(_ items: String, _ to: String, before: String? = nil) -> Decision.Asked {
    Decision.Asked(
      insert: Decision.Insert(
        items: items.split(separator: " ").map { piece(String($0)) }, to: to, before: before))
  }

  static func remove(_ items: String) -> Decision.Asked {
    Decision.Asked(remove: items.split(separator: " ").map(String.init))
  }

  static func update(_ item: String, _ attributes: [String: Scalar?]) -> Decision.Asked {
    Decision.Asked(update: Decision.Update(item: item, attributes: attributes))
  }

  static func undo(_ sequence: UInt64) -> Decision.Asked { Decision.Asked(undo: sequence) }

  /// The same behind operations that were accepted before.
  static func entry(_ entry: Entry, behind earlier: [(seat: UInt32, operation: Decision.Asked)]) -> Entry {
    var entry = entry
    entry.decision.earlier = earlier.map { Decision.Earlier(seat: $0.seat, operation: $0.operation) }
    return entry
  }

  static func perform(_ action: String, _ items: String = "") -> Decision.Asked {
    Decision.Asked(perform: Decision.Perform(action: action, items: items.split(separator: " ").map(String.init)))
  }
}
