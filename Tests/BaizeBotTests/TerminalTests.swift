import BaizeBot
import BaizeSync
import BaizeTable
import BaizeTableTypes
import Testing

/// What a person sees of a table in a terminal, and does there.
@Suite struct TerminalTests {
  private static let player = Author(session: SessionID(rawValue: 1), seat: SeatNumber(rawValue: 1))

  private static func replica(_ type: String, seed: UInt64 = 1) throws -> Replica {
    let table = Table(type: try TableTypeLibrary.bundled.tableType(type), random: RandomSource(seed: seed))
    var state = table.state
    var seated = Table(restoring: state, random: RandomSource(seed: 0))
    _ = seated.seat([Seat(number: player.seat, name: "Ada", person: player.session)])
    state = seated.state
    return Replica(state: state, epoch: Epoch(rawValue: 1), author: player, lastSequence: .zero)
  }

  // MARK: Keys

  @Test func `keys are read however the bytes are divided`() {
    let bytes: [UInt8] = [
      0x61, 0x1B, 0x5B, 0x41, 0x20, 0x1B, 0x4F, 0x42, 0x09, 0x1B, 0x5B, 0x31, 0x3B, 0x35, 0x43, 0x1B, 0x71,
    ]
    let expected: [TerminalKey] = [
      .character("a"), .up, .enter, .down, .tab, .right, .escape, .character("q"),
    ]
    for division in 0...bytes.count {
      var keys = TerminalKeys()
      let parts = [Array(bytes[..<division]), Array(bytes[division...])].filter { !$0.isEmpty }
      #expect(parts.flatMap { keys.keys(in: $0) } == expected, "divided at \(division)")
    }
    var keys = TerminalKeys()
    #expect(keys.keys(in: [0x1B]) == [] && keys.keys(in: []) == [.escape] && keys.keys(in: []) == [])
    #expect(keys.keys(in: [0x1B, 0x5B] + Array(repeating: 0x30, count: 99) + [0x1B, 0x5B, 0x42]).last == .down)
  }

  // MARK: The cursor

  @Test func `items are lifted and dropped at a gap with keys`() throws {
    var replica = try Self.replica("kanban?columns=fixed&cards=4")
    let cards = replica.state.itemIDs(in: try #require(replica.state.type.handle(of: "todo")))
    var cursor = TableCursor()
    func press(_ keys: TerminalKey...) -> TableCursor.Request? {
      keys.map { cursor.press($0, at: replica) }.last ?? nil
    }
    #expect(press(.enter) == nil && cursor.carried == [cards[0]])
    #expect(press(.up, .down, .down) == nil && cursor.offset == 2)
    let todo = CollectionHandle(rawValue: 1)
    let kind = TableOperation.Kind.move([cards[0]], to: Destination(collection: todo, position: .before(cards[2])))
    #expect(press(.enter) == .submit(kind))
    _ = replica.submit(kind)
    #expect(press(.left, .left, .left) == nil && cursor.collection == todo && !cursor.isCarrying)
    #expect(press(.enter, .right, .enter) != nil && press(.enter, .escape) == nil && !cursor.isCarrying)
    #expect(press(.character("u")) == .undo)
  }

  @Test func `a collection that an item opens is called as the item is`() throws {
    let state = try Self.replica("kanban?cards=1").state
    let column = CollectionHandle(rawValue: 3)
    #expect(Narration.name(of: column, at: state) == "Doing")
    let card = try #require(state.firstItem(in: CollectionHandle(rawValue: 2)))
    let move = TableOperation.Kind.move([card], to: .end(of: column))
    #expect(Narration.line(for: move, at: state) == "#1 from To do to Doing")
  }

  @Test func `what the rules forbid is refused at once, and tab goes where they allow`() throws {
    let replica = try Self.replica("klondike", seed: 3)
    var cursor = TableCursor()
    // The cards of the stock cannot be lifted.
    while replica.state.rules(of: cursor.collection).id != "stock" {
      _ = cursor.press(.right, at: replica)
    }
    guard case .refused = cursor.press(.enter, at: replica) else {
      Issue.record("a card was lifted off the stock")
      return
    }
    #expect(cursor.press(.character("1"), at: replica) == .submit(.perform(action: "draw", items: [], nil)))
    // A drop at a collection that tab finds is legal.
    var found = 0
    for _ in replica.state.type.collections {
      _ = cursor.press(.right, at: replica)
      guard cursor.press(.enter, at: replica) == nil, cursor.isCarrying else { continue }
      defer { _ = cursor.press(.escape, at: replica) }
      guard !cursor.targets(at: replica).isEmpty else { continue }
      _ = cursor.press(.tab, at: replica)
      guard case .submit = cursor.press(.enter, at: replica) else {
        Issue.record("tab went where a drop is illegal")
        return
      }
      found += 1
    }
    #expect(found > 0)
  }

  @Test(arguments: [
    "board?cards=9", "grid", "hand", "hearts", "kanban?cards=9", "kanban?columns=fixed&cards=9", "klondike",
    "list?items=60", "nerts", "playlist",
    "speed",
  ])
  func `no key and no size stops the picture or the cursor`(type: String) throws {
    let replica = try Self.replica(type)
    var random = RandomSource(seed: 7)
    var cursor = TableCursor()
    let keys: [TerminalKey] = [.up, .down, .left, .right, .enter, .escape, .tab, .character("1"), .character("9")]
    for _ in 0..<300 {
      _ = cursor.press(keys[Int(random.next(below: UInt64(keys.count)))], at: replica)
      let columns = Int(random.next(below: 120))
      let rows = Int(random.next(below: 40))
      let picture = TablePicture(state: replica.state, cursor: cursor, targets: cursor.targets(at: replica))
      let lines = picture.lines(columns: columns, rows: rows)
      #expect(lines.count <= rows && lines.allSatisfy { $0.columns <= columns })
    }
  }

  // MARK: The picture

  /// The copies of a terminal of 80 × 24 have 38 columns and 9 rows each.
  @Test(arguments: [
    "board?cards=9", "grid", "hand", "hearts", "kanban?cards=9", "kanban?columns=fixed&cards=9", "klondike",
    "list?items=60", "nerts", "playlist",
    "speed",
  ])
  func `the cursor is visible wherever it is, and names are not cut`(type: String) throws {
    let replica = try Self.replica(type)
    for (columns, rows) in [(38, 9), (38, 20), (78, 35), (150, 40)] {
      var cursor = TableCursor()
      for step in 0..<(2 * replica.state.type.collections.count) {
        _ = cursor.press(step % 2 == 1 ? .right : .down, at: replica)
        let text = TablePicture(state: replica.state, cursor: cursor).lines(columns: columns, rows: rows)
          .map(\.plain).joined(separator: "\n")
        #expect(text.contains("▸"), "\(type), \(columns) × \(rows), step \(step):\n\(text)")
        #expect(!text.contains("…"), "\(type), \(columns) × \(rows):\n\(text)")
      }
    }
  }

  /// Every collection is shown where there is room for one line of each.
  @Test func `collections go to the next band instead of being cut`() throws {
    let replica = try Self.replica("playlist")
    let lines = TablePicture(state: replica.state).lines(columns: 38, rows: 20).map(\.plain)
    for name in ["library", "queue", "bin", "The Parting Glass"] {
      #expect(lines.contains { $0.contains(name) }, "\(name) in \(lines)")
    }
  }

  @Test func `marks show without colours, and hostile names cannot control the terminal`() {
    var text = StyledText("\u{1B}[31m日本\u{202E}", .boldRed)
    #expect(text.plain == "\\u{1b}[31m日本\\u{202e}" && text.columns == 6 + 4 + 4 + 8)
    #expect(text.styled(isColourful: false) == "\u{1B}[1m\(text.plain)\u{1B}[0m")
    text = StyledText("日本語", .red)
    #expect(text.styled(isColourful: false) == "日本語" && text.styled(isColourful: true).hasPrefix("\u{1B}[31m"))
    #expect(text.cut(to: 5).plain == "日本…" && text.cut(to: 4).plain == "日…" && text.fitted(to: 8).plain == "日本語  ")
    #expect(Set([ItemMark.pending, .refused, .rebased].map(\.sign)).count == 3)
  }
}
