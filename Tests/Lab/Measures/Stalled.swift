import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire

extension Measure {
  /// The effect of stalled readers and of crowds on players: the same load on daemons of their own, under each condition in
  /// turn.
  static let stalled = Measure(
    "stalled", "The effect of stalled readers and of connection storms on others.",
    summary: "Measures the effect of stalled readers and of connection storms on players.",
    options: [.tables, .players, .rate, crowd, .seconds, .runs],
    notes: [
      "Operations are submitted at a steady rate, whether or not earlier ones are answered (an open loop), and timed from "
        + "submit to the last of the table's readers. At the beginning of each run \(texts) texts of "
        + "\(textBytes >> 10) KiB are written at every table, so that clients that do not read are far over "
        + "their limits.",
      "Conditions:\n"
        + "  normal      Only the players.\n"
        + "  stalled     A tenth of all connections join the same tables and read nothing after the snapshot.\n"
        + "  trickle     One spectator reads a byte per second.\n"
        + "  storm       A crowd connects at once; three of four join 64 tables of their own, the fourth sends nothing.\n"
        + "  disconnect  The same crowd, connected before, disconnects at once.",
      "A crowd is a process of the lowest priority on the harness' core. Its cost for the machine is measured, too: the same "
        + "crowd connects to, and disconnects from, a listener of its own process instead of the daemon (\"elsewhere\"). "
        + "A crowd's ratio is to that run; its ratio to normal is printed as well.",
      "On a machine with other load, start it under `chrt --rr 1`: daemon and harness then have priority, and the crowd sets "
        + "itself back to the lowest priority.",
    ],
    short: "--tables 16 --rate 1000 --crowd 400 --runs 1 --seconds 1"
  ) { lab in
    try lab.rounds { _ in for condition in StalledCondition.allCases { try measure(condition, lab) } }
    for condition in StalledCondition.allCases {
      guard let reference = condition.reference else { continue }
      lab.limit(condition.ratio(to: reference), atMost: 1.5, assumesQuiet: true)
    }
    for condition in [StalledCondition.stalled, .trickle] {
      let normal = lab.figures[StalledCondition.normal.peak].values
      let extra = zip(lab.figures[condition.peak].values, normal).map { $0 - $1 }.max() ?? .nan
      // Each queue's maximum, and memory that an allocator keeps.
      let bound = readerCount(condition, lab) * (queueBytesMax >> 10) + 8 << 10
      lab.require(
        extra <= Double(bound),
        "\(condition.rawValue): \(Figures.fixed(extra, 0)) KiB more than normal at the peak of the worst round, at most "
          + "\(bound)")
    }
  }

  private static let crowd = NumberOption(
    "--crowd", "N", "Connections of a crowd.", in: 1...10_000, standard: 2_000)
  /// The number of long texts that are written at each table before a run.
  private static let texts = 100
  /// The size of such a text in bytes.
  private static let textBytes = 15 << 10
  private static let tableType = "list?items=52"
  private static let warmUpSeconds = 1.5
  /// The maximum queue for a client that does not read: the outbox's hard limit, one turn's frames (a long text),
  /// and as much again, since a growing queue doubles its capacity.
  private static let queueBytesMax = 2 * (SyncLimits().connections.outboxHardBytes + textBytes)

  /// The number of clients that do not read, or hardly.
  private static func readerCount(_ condition: StalledCondition, _ lab: Lab) -> Int {
    switch condition {
    // A tenth of all connections.
    case .stalled: max(1, (lab[.tables] * lab[.players] + 4) / 9)
    case .trickle: 1
    case .normal, .storm, .stormElsewhere, .disconnect, .disconnectElsewhere: 0
    }
  }

  /// Writes the texts, at each table one after the other, and leaves.
  private static func writeTexts(_ authors: [TableAuthor]) throws {
    for number in 0..<texts {
      let note = Attribute("note", "\(number) " + String(repeating: "x", count: textBytes))
      for author in authors {
        try author.perform(.update(author.joined.items[0], attributes: [note], representations: []))
      }
      for author in authors { try author.waitForAnswers() }
    }
    for author in authors { author.client.close() }
  }

  private static func measure(_ condition: StalledCondition, _ lab: Lab) throws {
    try lab.withDaemon(shards: 1, isAlone: true) { daemon in
      let authors = try (0..<lab[.tables]).map {
        try TableAuthor(BlockingClient(daemon.address), lab.loadOptions.tableName($0), tableType)
      }
      let readers = try (0..<readerCount(condition, lab)).map { number in
        let reader = try BlockingClient(daemon.address, receiveBufferBytes: 4 << 10)
        let table = lab.loadOptions.tableName(number % authors.count)
        try reader.join(Hello(table: table, name: "stalled", role: .spectator))
        return reader
      }
      try writeTexts(authors)
      let session = try lab.join(daemon) { ($0.tableType, $0.warmUpSeconds) = (tableType, warmUpSeconds) }
      let child = try startCrowd(condition, daemon.address, lab)
      let result = try lab.measure(session) { if condition == .trickle { readers[0].readByte() } }
      child?.waitForExit()
      for reader in readers { reader.close() }
      guard let peakBytes = daemon.usage.peakResidentBytes else {
        throw RunFailure("this system does not report the memory of a process")
      }
      let p99 = result.total.toLast.microseconds(0.99)
      lab.add("\(condition.rawValue), p50", result.total.toLast.microseconds(0.5), "µs")
      lab.add(condition.p99, p99, "µs")
      lab.add(condition.peak, Double(peakBytes >> 10), "KiB")
      for reference in [condition.reference, condition.meetsDaemon ? .normal : nil].compactMap(\.self) {
        lab.add(
          condition.ratio(to: reference), p99 / max(1, lab.figures[reference.p99].values.last ?? 0), "times", digits: 2)
      }
      guard condition.meetsDaemon else { return }
      let words = (child?.output ?? "").split(separator: "\n").last?.split(separator: " ") ?? []
      guard words.count == 2, Int(words[0]) == lab[crowd] - lab[crowd] / 4, let nanoseconds = Double(words[1]) else {
        throw RunFailure("not everyone who sent a hello was welcomed: \(words)")
      }
      if condition == .storm { lab.add("storm, admitted after", nanoseconds / 1e6, "ms") }
    }
  }

  private static func startCrowd(
    _ condition: StalledCondition, _ address: SocketAddress, _ lab: Lab
  ) throws -> ChildProcess? {
    let now = MonotonicClock.now()
    let moment = now + 2_000_000_000
    let end = now + UInt64((warmUpSeconds + Double(lab[.seconds])) * 1e9)
    let times: [UInt64]
    switch condition {
    case .normal, .stalled, .trickle: return nil
    case .storm, .stormElsewhere: times = [moment, end]
    case .disconnect, .disconnectElsewhere: times = [now, moment]
    }
    return try LabPart.crowd.start(
      [condition.meetsDaemon ? "\(address)" : "-", "\(lab[crowd])"] + times.map { "\($0)" }, marker: LabPart.crowdMarker
    )
  }
}

/// A condition of ``Measure/stalled``, and the names of its figures.
private enum StalledCondition: String, CaseIterable {
  case normal
  case stalled
  case trickle
  case stormElsewhere = "storm elsewhere"
  case storm
  case disconnectElsewhere = "disconnect elsewhere"
  case disconnect

  /// The condition that its p99 is compared with, if any; it comes before.
  var reference: StalledCondition? {
    switch self {
    case .normal, .stormElsewhere, .disconnectElsewhere: nil
    case .stalled, .trickle: .normal
    case .storm: .stormElsewhere
    case .disconnect: .disconnectElsewhere
    }
  }

  /// Whether a crowd comes to the daemon.
  var meetsDaemon: Bool { self == .storm || self == .disconnect }

  var p99: String { "\(rawValue), p99" }
  var peak: String { "\(rawValue), peak" }
  func ratio(to reference: StalledCondition) -> String { "\(rawValue), p99 to \(reference.rawValue)" }
}

extension LabPart {
  static let crowdMarker = "crowd connects to "

  /// Connects at once and leaves at once, at the lowest priority. Its arguments are the daemon's address, or `-` for a listener
  /// of its own, so that only the machine is loaded; the number of connections; and the times to connect and to leave, on the
  /// monotonic clock.
  static let crowd = LabPart("crowd") { words in
    guard words.count == 4, let count = Int(words[1]), let connectsAt = UInt64(words[2]),
      let leavesAt = UInt64(words[3])
    else { throw RunFailure("needs an address or '-', a number, and two times") }
    Affinity.lowerPriority()
    DescriptorLimit.raise()
    let daemon = try words[0] == "-" ? nil : SocketAddress(parsing: words[0])
    // Three of four send a hello, as spectators of otherwise empty tables; the fourth sends nothing.
    let crowd = try Driver(count: count) { number in
      guard number % 4 != 3, daemon != nil else { return nil }
      return Hello(table: "crowd-\(number % 64)", tableType: "list?items=10", name: "crowd", role: .spectator)
    }
    let loop = crowd.loop
    let listener = try daemon == nil ? loop.listen(on: .loopback(port: 0)) : nil
    let address = daemon ?? listener.flatMap(loop.address) ?? .loopback(port: 0)
    Console.print("\(crowdMarker)\(address)")
    try loop.run(crowd, until: connectsAt)
    try crowd.connect(to: address)
    try loop.run(crowd, until: leavesAt)
    Console.print("\(crowd.counters.welcomes) \(max(connectsAt, crowd.welcomedAt) - connectsAt)")
    // The system closes all connections.
  }
}
