import BaizeTable
import BaizeWire
import Foundation

/// A kind of load that makes the daemon use memory.
struct MemoryKind {
  let name: String
  let summary: String
  var isShort = false
  var hasJournal = false
  /// Further flags of the daemon.
  var arguments: [String] = []
  let apply: (MemoryLoad) throws -> Void

  static var all: [MemoryKind] { tables + contents + histories + sessions + connections + journals }

  private static var tables: [MemoryKind] {
    [
      MemoryKind(name: "million", summary: "a list of a million items") { try $0.visit("a", "list?items=1000000") },
      MemoryKind(name: "lists", summary: "lists of 100,000 items", isShort: true) { load in
        for number in 0..<5 { try load.visit("t\(number)", "list?items=100000") }
      },
      MemoryKind(name: "games", summary: "thousands of small tables") { load in
        for number in 0..<4_000 { try load.visit("t\(number)", "klondike") }
      },
      MemoryKind(
        name: "discarded", summary: "tables that are made and discarded", arguments: ["--discard", "1", "--grace", "1"]
      ) { load in
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
      MemoryKind(name: "data", summary: "items with 200 KB of data", isShort: true) { load in
        let author = try load.author("t")
        for _ in 0..<500 { try author.insert([.data(200_000)]) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "attributes", summary: "items with 64 short attributes") { load in
        let author = try load.author("t")
        for _ in 0..<400 { try author.insert(Array(repeating: .texts(64, bytes: 1), count: 50)) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "texts", summary: "items with attributes of 20 bytes") { load in
        let author = try load.author("t")
        for _ in 0..<400 { try author.insert(Array(repeating: .texts(8, bytes: 20), count: 250)) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "small", summary: "items without a face, inserted one by one") { load in
        let author = try load.author("t")
        for _ in 0..<600 { try author.insert(Array(repeating: NewItem(), count: 500)) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "emptied", summary: "tables that were filled and emptied again") { load in
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
      MemoryKind(name: "moves", summary: "tables with a full history of moves") { load in
        for number in 0..<24 {
          let author = try load.author("t\(number)", "list?items=500")
          for step in 0..<160 { try author.move(ItemList(author.joined.items[step % 2 == 0 ? 0..<250 : 250..<500])) }
          try author.waitForAnswers()
        }
      },
      MemoryKind(name: "updates", summary: "tables with former faces kept for undo") { load in
        for number in 0..<60 {
          let author = try load.author("t\(number)", "list?items=20")
          for step in 0..<60 {
            let item = author.joined.items[step % 20]
            try author.perform(
              .update(item, attributes: [], representations: NewItem.data(60_000).face.representations))
          }
          try author.waitForAnswers()
        }
      },
    ]
  }

  private static var sessions: [MemoryKind] {
    [
      MemoryKind(name: "sessions", summary: "thousands of sessions that have left") { load in
        for number in 0..<20 {
          try load.visit("t\(number)", "list")
          for _ in 0..<2_000 { try load.visit("t\(number)", role: .spectator) }
        }
      },
      MemoryKind(name: "refusals", summary: "sessions with 256 refusals each", isShort: true) { load in
        for number in 0..<1_000 {
          let author = try load.author("t\(number)")
          for _ in 0..<256 { try author.move([ItemID(rawValue: 999_999)]) }
          try author.waitForAnswers()
          author.client.close()
        }
      },
      MemoryKind(name: "made", summary: "sessions whose new ids are remembered") { load in
        for number in 0..<40 {
          let author = try load.author("t\(number)")
          for _ in 0..<30 { try author.insert(Array(repeating: NewItem(), count: 500)) }
          try author.waitForAnswers()
        }
      },
    ]
  }

  private static var connections: [MemoryKind] {
    [
      MemoryKind(name: "idle", summary: "thousands of connections that do nothing") { load in
        try load.visit("t", "list?items=10")
        for _ in 0..<8_000 {
          try load.connect().join(Hello(table: "t", name: "idle", role: .spectator))
        }
      },
      MemoryKind(name: "silent", summary: "connections without a hello", arguments: ["--handshake", "3600"]) { load in
        for _ in 0..<8_000 { _ = try load.connect() }
      },
      MemoryKind(name: "partial", summary: "connections that have sent most of a frame") { load in
        try load.visit("t", "list?items=10")
        for _ in 0..<400 {
          let client = try load.connect()
          try client.join(Hello(table: "t", name: "partial", role: .spectator))
          var frame = ClientMessage.ping(Ping(nonce: 1)).framed()
          // The length of a frame of 250 KB.
          frame = [0x90, 0xA1, 0x0F] + Array(repeating: 0, count: 240_000)
          client.write(frame)
        }
      },
      MemoryKind(name: "stalled", summary: "readers that do not read large frames", isShort: true) { load in
        let author = try load.author("t")
        try load.stall(500, at: "t")
        for _ in 0..<41 { try author.insert([.data(200_000)]) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "behind", summary: "readers that do not read small frames") { load in
        let author = try load.author("t", "list?items=500")
        try load.stall(150, at: "t")
        for number in 0..<30_000 { try author.move([author.joined.items[number * 7 % 500]]) }
        try author.waitForAnswers()
      },
      MemoryKind(name: "loading", summary: "100 readers that load a list of a million slowly while it changes") {
        load in
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
      MemoryKind(name: "journal", summary: "lists of 100,000 items, with a journal", hasJournal: true) { load in
        for number in 0..<4 {
          let author = try load.author("t\(number)", "list?items=100000")
          for _ in 0..<200 { try author.move(ItemList(author.joined.items.prefix(100))) }
          try author.waitForAnswers()
        }
      },
      MemoryKind(name: "restored", summary: "large tables that are loaded at once", hasJournal: true) { load in
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
