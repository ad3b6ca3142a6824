import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire

extension MeasureCommand {
  /// `baize-lab resume`: the cost of catch-up.
  static var resume: MeasureCommand {
    let clients = NumberOption(
      "--clients", "N", "Spectators that lose their connections and reconnect, all at once.", in: 1...20_000,
      standard: 1_000)
    let tables = NumberOption.tables("The number of tables.", standard: 1)
    let items = NumberOption("--items", "N", "Items on each table.", in: 1...100_000, standard: 1_000)
    let revisions = NumberOption(
      "--revisions", "N", "Revisions that they miss at each table.", in: 1...1_000, standard: 100)
    let runs = NumberOption.runs("Runs.")
    return MeasureCommand(
      "resume", "The cost of catch-up after a reconnect, compared with a snapshot.",
      summary:
        "Disconnects many spectators, changes their tables, and measures the time and bytes until all have caught up, "
        + "compared with new spectators.",
      options: [clients, tables, items, revisions, runs].map(\.option),
      notes: [
        "Starts baized from the folder of baize-lab, with a journal in the system's temporary directory. "
          + "Bytes are those of frames, without the overhead of TCP and IP.",
        "The limits: for items with a title, reconnecting spectators receive at least "
          + "\(Int(ResumeMeasure.ratioMin)) times fewer bytes, and all have caught up within "
          + "\(Int(ResumeMeasure.secondsMax)) s. The exit code is 1 if one is missed.",
      ]
    ) { parsed in
      try ResumeMeasure(
        clients: clients(parsed), tables: tables(parsed), items: items(parsed), revisions: revisions(parsed),
        runs: runs(parsed)
      ).perform()
    }
  }
}

/// Measures the catch-up of a crowd that has missed a hundred revisions, beside the cost of snapshots.
struct ResumeMeasure {
  let clients: Int
  let tables: Int
  let items: Int
  let revisions: Int
  let runs: Int

  /// The minimum ratio of the bytes of snapshots to those of diffs.
  static let ratioMin = 10.0
  /// The maximum time until everyone has caught up, in seconds.
  static let secondsMax = 1.0
  private static let timeoutSeconds = 120.0

  func perform() throws -> MeasureCommand.Result {
    let titled = try measure("items with a title of some 30 characters", type: "list") { author in
      try author.insert(Titles.items(items, seed: 1))
    }
    let bare = try measure("items with only a number", type: "list?items=\(items)") { _ in }
    let isSound =
      titled["fewer bytes"].median >= Self.ratioMin && titled["snapshots"].values.allSatisfy { $0 == 0 }
      && [titled, bare].allSatisfy { $0["caught up after"].median <= Self.secondsMax }
    if !isSound { Console.print("the limit is missed") }
    return (isSound, ["titled": titled.json, "bare": bare.json])
  }

  private func measure(_ what: String, type: String, _ setUp: (TableAuthor) throws -> Void) throws -> Figures {
    let journal = try TemporaryFolder()
    let daemon = try ChildProcess.daemon(journal: journal.path("journal.sqlite"))
    defer { daemon.stop() }
    var author = try TableAuthor((0..<tables).map { "resume-\($0)" }, type: type, at: daemon.address, seed: 1)
    try setUp(author)
    let crowd = try makeCrowd()
    try join(crowd, author, daemon.address)
    var figures = Figures()
    for run in 1...runs {
      try crowd.cut()
      try author.move(times: UInt64(revisions))
      let time = try join(crowd, author, daemon.address)
      // Newcomers, who receive snapshots.
      let newcomers = try makeCrowd()
      try join(newcomers, author, daemon.address)
      try newcomers.leave()
      let bytes = [crowd, newcomers].map { Double($0.counts.bytes) / Double(clients) }
      figures.add("reconnect", bytes[0], "bytes a client")
      figures.add("snapshots", Double(crowd.counts.snapshots), "in all")
      figures.add("new session", bytes[1], "bytes a client")
      figures.add("fewer bytes", bytes[1] / max(1, bytes[0]), "times", digits: 1)
      figures.add("caught up after", Double(time) / 1e9, "s", digits: 3)
      Console.print("run \(run) of \(runs): \(figures.last)")
    }
    Console.print(
      "\(clients) clients at \(tables) tables of \(items) \(what), \(revisions) revisions behind, medians of \(runs) runs "
        + "(least … most)\n\(figures.text)")
    return figures
  }

  private func makeCrowd() throws -> Crowd {
    try Crowd(count: clients) { Hello(table: "resume-\($0 % tables)", name: "crowd", role: .spectator) }
  }

  /// Connects everyone at once, and waits until each has its table's revision.
  @discardableResult
  private func join(_ crowd: Crowd, _ author: TableAuthor, _ address: SocketAddress) throws -> UInt64 {
    let revisions = author.revisions
    return try crowd.join(address, seconds: Self.timeoutSeconds) { revisions[$0 % revisions.count] }
  }
}

/// Items with faces as people give them: a title of some 20 to 40 characters.
private enum Titles {
  private static let verbs = ["Call", "Tell", "Visit", "Remind", "Pay", "Thank", "Meet", "Ask"]
  private static let people = ["the printer", "Aunt Ida", "the landlord", "our dentist", "Mr Olsen", "the caterer"]
  private static let matters = ["the invoice", "the tickets", "blue paint", "a second key", "a table"]

  static func items(_ count: Int, seed: UInt64) -> [NewItem] {
    var random = RandomSource(seed: seed)
    func any(_ words: [String]) -> String { words[Int(random.next(below: UInt64(words.count)))] }
    return (0..<count).map { _ in
      NewItem(attributes: [Attribute("title", "\(any(verbs)) \(any(people)) about \(any(matters))")])
    }
  }
}
