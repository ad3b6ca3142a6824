import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import BaizeWorkload

extension Measure {
  /// The catch-up of many spectators that have missed revisions, beside the cost of snapshots.
  static let resume = Measure(
    "resume", "The cost of catch-up after a reconnect, compared with a snapshot.",
    summary:
      "Disconnects many spectators, changes their tables, and measures the time and bytes until all have caught up, "
      + "compared with new spectators.",
    options: [clients, .tables.standard(1), .items, revisions, .runs],
    notes: ["Bytes are those of frames, without the overhead of TCP and IP. The daemon has a journal."],
    short: "--clients 100 --runs 1"
  ) { lab in
    for (what, type) in [("with titles", "list"), ("with only a number", "list?items=\(lab[.items])")] {
      let journal = try TemporaryFolder()
      try lab.withDaemon(journal: journal.path("journal.sqlite")) { daemon in
        let authors = try (0..<lab[.tables]).map { number in
          func author() throws -> TableAuthor {
            try TableAuthor(BlockingClient(daemon.address), "resume-\(number)", type)
          }
          // Another one knows the items that the first has inserted.
          if type == "list" { try insertTitledItems(lab[.items], author()) }
          return try author()
        }
        var random = RandomSource(seed: 1)
        let crowd = try joined(authors, daemon.address, lab)
        try lab.rounds("items \(what)") { _ in
          try crowd.cut()
          for author in authors { try move(times: lab[revisions], author, &random) }
          let nanoseconds = try join(crowd, authors, daemon.address)
          let newcomers = try joined(authors, daemon.address, lab)
          try newcomers.leave()
          let bytes = [crowd, newcomers].map { Double($0.counters.bytes) / Double(lab[clients]) }
          lab.add("\(what), reconnect", bytes[0], "bytes a client")
          lab.add("\(what), snapshots", Double(crowd.counters.snapshots), "in all")
          lab.add("\(what), new session", bytes[1], "bytes a client")
          lab.add("\(what), fewer bytes", bytes[1] / max(1, bytes[0]), "times", digits: 1)
          lab.add("\(what), caught up after", Double(nanoseconds) / 1e9, "s", digits: 3)
        }
      }
      lab.limit("\(what), caught up after", atMost: 1, assumesQuiet: true)
    }
    lab.limit("with titles, fewer bytes", atLeast: 10)
    lab.require(
      lab.figures["with titles, snapshots"].most == 0, "with titles: nobody who reconnects receives a snapshot")
  }

  private static let clients = NumberOption(
    "--clients", "N", "Spectators that lose their connections and reconnect, all at once.", in: 1...20_000,
    standard: 1_000)
  private static let revisions = NumberOption(
    "--revisions", "N", "Revisions that they miss at each table.", in: 1...1_000, standard: 100)

  // MARK: Spectators

  private static func joined(_ authors: [TableAuthor], _ address: SocketAddress, _ lab: Lab) throws -> Driver {
    let crowd = try Driver(count: lab[clients]) {
      Hello(table: "resume-\($0 % authors.count)", name: "crowd", role: .spectator)
    }
    _ = try join(crowd, authors, address)
    return crowd
  }

  /// Connects everyone at once, and waits until each has its table's revision.
  private static func join(_ crowd: Driver, _ authors: [TableAuthor], _ address: SocketAddress) throws -> UInt64 {
    try crowd.join(address) { authors[$0 % authors.count].revision }
  }

  // MARK: Authors

  /// Makes revisions by moves of one item.
  private static func move(times: Int, _ author: TableAuthor, _ random: inout RandomSource) throws {
    let target = author.revision.rawValue + UInt64(times)
    // A move that changes nothing makes no revision.
    while author.revision.rawValue < target {
      try author.move([random.pick(author.joined.items)], before: random.pick(author.joined.items))
      try author.waitForAnswers()
    }
  }

  /// Inserts items with faces as people give them: a title of some 20 to 40 characters.
  private static func insertTitledItems(_ count: Int, _ author: TableAuthor) throws {
    var random = RandomSource(seed: 1)
    let verbs = ["Call", "Tell", "Visit", "Remind", "Pay", "Thank", "Meet", "Ask"]
    let people = ["the printer", "Aunt Ida", "the landlord", "our dentist", "Mr Olsen", "the caterer"]
    let matters = ["the invoice", "the tickets", "blue paint", "a second key", "a table"]
    for _ in 0..<count {
      let title = "\(random.pick(verbs)) \(random.pick(people)) about \(random.pick(matters))"
      try author.insert([NewItem(attributes: [Attribute("title", title)])])
    }
    try author.waitForAnswers()
  }
}
