import BaizeLaboratory
import BaizeTable
import BaizeWire
import Foundation

/// A kind of load that makes the daemon use memory.
struct MemoryKind {
  let name: String
  let summary: String
  let hasJournal: Bool
  /// Further flags of the daemon.
  let arguments: [String]
  let apply: (MemoryLoad) throws -> Void

  init(
    _ name: String, _ summary: String, hasJournal: Bool = false, arguments: [String] = [],
    _ apply: @escaping (MemoryLoad) throws -> Void
  ) {
    (self.name, self.summary, self.hasJournal, self.arguments) = (name, summary, hasJournal, arguments)
    self.apply = apply
  }

  /// A kind of load by visitors of tables.
  private static func visits(_ name: String, _ summary: String, tables: Int = 1, _ type: String) -> MemoryKind {
    MemoryKind(name, summary) { load in for number in 0..<tables { try load.visit("t\(number)", type) } }
  }

  /// A kind of load by authors, each at a table.
  private static func authors(
    _ name: String, _ summary: String, tables: Int = 1, _ type: String = "list", hasJournal: Bool = false,
    _ act: @escaping (TableAuthor) throws -> Void
  ) -> MemoryKind {
    MemoryKind(name, summary, hasJournal: hasJournal) { load in
      for number in 0..<tables {
        let author = try load.author("t\(number)", type)
        try act(author)
        try author.waitForAnswers()
      }
    }
  }

  /// A kind of load by authors who insert the same items again and again, each at a table.
  private static func inserts(
    _ name: String, _ summary: String, tables: Int = 1, times: Int, _ items: [NewItem]
  ) -> MemoryKind {
    authors(name, summary, tables: tables) { author in for _ in 0..<times { try author.insert(items) } }
  }

  static var all: [MemoryKind] { tables + contents + histories + sessions + connections + readers + journals }

  private static var tables: [MemoryKind] {
    [
      visits("million", "a list of a million items", "list?items=1000000"),
      visits("lists", "lists of 100,000 items", tables: 5, "list?items=100000"),
      visits("games", "thousands of small tables", tables: 4_000, "klondike"),
      MemoryKind("discarded", "tables that are made and discarded", arguments: ["--discard", "1", "--grace", "1"]) {
        load in
        for number in 0..<12 {
          try load.visit("t\(number)", "list?items=100000")
          Thread.sleep(forTimeInterval: 0.5)
          load.sample()
        }
      },
    ]
  }

  private static var contents: [MemoryKind] {
    [
      inserts("data", "items with 200 KB of data", times: 500, [.data(200_000)]),
      inserts(
        "attributes", "items with 64 short attributes", times: 400,
        Array(repeating: .texts(64, bytes: 1), count: 50)),
      inserts(
        "texts", "items with attributes of 20 bytes", times: 400, Array(repeating: .texts(8, bytes: 20), count: 250)),
      inserts(
        "small", "items without a face, inserted one by one", times: 600, Array(repeating: NewItem(), count: 500)),
      MemoryKind("emptied", "tables that were filled and emptied again") { load in
        for number in 0..<24 {
          let author = try load.author("t\(number)")
          for _ in 0..<16 { try author.insert(Array(repeating: .data(2_000), count: 100)) }
          try author.waitForAnswers()
          let reader = try load.connect()
          let items = try reader.join(Hello(table: "t\(number)", name: "reader", role: .spectator)).items
          reader.close()
          for start in stride(from: 0, to: items.count, by: 100) {
            try author.perform(.remove(ItemList(items[start..<min(start + 100, items.count)])))
          }
          try author.waitForAnswers()
        }
      },
    ]
  }

  private static var histories: [MemoryKind] {
    [
      authors("moves", "tables with a full history of moves", tables: 24, "list?items=500") { author in
        for step in 0..<160 { try author.move(ItemList(author.joined.items[step % 2 == 0 ? 0..<250 : 250..<500])) }
      },
      authors("updates", "tables with former faces kept for undo", tables: 60, "list?items=20") { author in
        let representations = NewItem.data(60_000).face.representations
        for step in 0..<60 {
          try author.perform(
            .update(author.joined.items[step % 20], attributes: [], representations: representations))
        }
      },
    ]
  }

  private static var sessions: [MemoryKind] {
    [
      MemoryKind("sessions", "thousands of sessions that have left") { load in
        for number in 0..<20 {
          try load.visit("t\(number)", "list")
          for _ in 0..<2_000 { try load.visit("t\(number)", role: .spectator) }
        }
      },
      MemoryKind("refusals", "sessions with 256 refusals each") { load in
        for number in 0..<1_000 {
          let author = try load.author("t\(number)")
          for _ in 0..<256 { try author.move([ItemID(rawValue: 999_999)]) }
          try author.waitForAnswers()
          author.client.close()
        }
      },
      inserts(
        "made", "sessions whose new ids are remembered", tables: 40, times: 30, Array(repeating: NewItem(), count: 500)),
    ]
  }

  private static var connections: [MemoryKind] {
    [
      MemoryKind("idle", "thousands of connections that do nothing") { load in
        try load.visit("t", "list?items=10")
        for _ in 0..<8_000 { try load.connect().join(Hello(table: "t", name: "idle", role: .spectator)) }
      },
      MemoryKind("silent", "connections without a hello", arguments: ["--handshake", "3600"]) { load in
        for _ in 0..<8_000 { _ = try load.connect() }
      },
      MemoryKind("partial", "connections that have sent most of a frame") { load in
        try load.visit("t", "list?items=10")
        for _ in 0..<400 {
          let client = try load.connect()
          try client.join(Hello(table: "t", name: "partial", role: .spectator))
          // The length of a frame of 250 KB, and less.
          client.write([0x90, 0xA1, 0x0F] + Array(repeating: 0, count: 240_000))
        }
      },
    ]
  }

  private static var readers: [MemoryKind] {
    [
      MemoryKind("stalled", "readers that do not read large frames") { load in
        let author = try load.author("t")
        try load.stall(500, at: "t")
        for _ in 0..<41 { try author.insert([.data(200_000)]) }
        try author.waitForAnswers()
      },
      MemoryKind("behind", "readers that do not read small frames") { load in
        let author = try load.author("t", "list?items=500")
        try load.stall(150, at: "t")
        for number in 0..<30_000 { try author.move([author.joined.items[number * 7 % 500]]) }
        try author.waitForAnswers()
      },
      MemoryKind("loading", "100 readers that load a list of a million slowly while it changes") { load in
        let author = try load.author("t", "list?items=1000000")
        for round in 0..<50 {
          try load.stall(2, at: "t", reads: false)
          for number in 0..<40 {
            let first = (round * 40 + number) * 101
            try author.move(ItemList((0..<100).map { author.joined.items[(first + $0 * 9_973) % 1_000_000] }))
          }
          try author.waitForAnswers()
        }
      },
    ]
  }

  private static var journals: [MemoryKind] {
    [
      authors(
        "journal", "lists of 100,000 items, with a journal", tables: 4, "list?items=100000", hasJournal: true
      ) { author in
        for _ in 0..<200 { try author.move(ItemList(author.joined.items.prefix(100))) }
      },
      MemoryKind("restored", "large tables that are loaded at once", hasJournal: true) { load in
        for number in 0..<6 { try load.visit("t\(number)", "list?items=300000") }
        Thread.sleep(forTimeInterval: 1)
        try load.restart()
        let readers = try (0..<6).map { _ in try load.connect() }
        for (number, reader) in readers.enumerated() {
          reader.send(.hello(Hello(table: "t\(number)", name: "reader", role: .spectator)))
        }
        for reader in readers {
          try reader.joined()
          load.sample()
        }
      },
    ]
  }
}
