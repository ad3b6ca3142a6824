import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// Strangers from some addresses who take all memory that they can get: tables with many items by a few hellos, contents by
/// insertions, frames that they never complete, sessions that they leave at once, and history by moves of many items. Honest people from another address use their boards meanwhile: they add cards,
/// make boards, and come back to those that they left.
struct SharesAttack {
  let options: HostileOptions

  private static let boards = 6
  /// The last byte of the honest people's address on this machine. Strangers come from 127.0.0.2 on.
  private static let honest: UInt8 = 250
  private static let text = String(repeating: "x", count: 15_000)
  private static let boardType = HonestPerson.boardType
  private static let parkedPerAddress = 115
  private static let graceSeconds = 1
  private static let itemsMoved = 900
  private static let movesAtOnce = 8
  private static let movesPerClient = 800
  /// The cards that are added to boards that people leave.
  private static let leftCards = 5

  /// - Returns: Whether everyone got what is theirs.
  func perform() throws -> Bool {
    DescriptorLimit.raise()
    let daemon = try ChildProcess(
      "baized",
      [
        "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--shards", "2", "--memory-max", "\(options.memoryMax)",
        "--grace", "\(Self.graceSeconds)", "--unload", "1",
      ] + (options.keepsJournal ? ["--journal", "journal.sqlite"] : ["--durability", "memory"]),
      marker: ChildProcess.daemonMarker, programs: options.programs,
      environment: [DaemonMetrics.environment.0: DaemonMetrics.environment.1])
    let metrics = try DaemonMetrics(daemon)
    var people = try (0..<Self.boards).map {
      try HonestPerson(daemon.address, "board-\($0)", from: Self.honest)
    }
    // Boards that nobody is at: with a journal they are loaded again, without one they are to stay.
    for number in 0..<Self.boards {
      var person = try HonestPerson(daemon.address, "left-\(number)", from: Self.honest)
      try person.add(Self.leftCards)
    }
    let isStopping = Flag()
    let (address, addresses, kinds) = (daemon.address, options.addresses, Self.kinds)
    let threads = try kinds.map { kind in
      try LoopThread(name: "strangers") {
        Affinity.useIdleProcessors()
        kind(address, addresses, isStopping)
      }
    }
    let began = MonotonicClock.now()
    var faults: [String] = []
    var figures = Figures()
    while MonotonicClock.now() < began + UInt64(options.seconds) * 1_000_000_000, daemon.isRunning {
      figures.round(&people, daemon.address)
      figures.memoryMost = max(figures.memoryMost, try metrics.memory().charged)
      Thread.sleep(forTimeInterval: 0.05)
    }
    figures.comeBack(Self.boards, daemon.address)
    isStopping.set()
    for thread in threads { thread.join() }
    let isAlive = daemon.isRunning
    let exceeded = daemon.errors.split(separator: "\n").filter { $0.contains("has its share") }.count
    if daemon.stop() != 0 || !isAlive { faults.append("the daemon did not end well") }
    faults += figures.faults
    Console.print(
      "\(options.addresses) addresses, \(options.memoryMax >> 20) MiB, \(options.keepsJournal ? "journal" : "memory"): "
        + "\(figures.text); \(exceeded) lines of the log about shares")
    for fault in faults { Console.printError("hostile-client: \(fault)") }
    Console.print(faults.isEmpty ? "passed" : "failed")
    return faults.isEmpty
  }

  // MARK: Figures

  /// How often something was asked for, and what was said where it was not given.
  private struct Tally {
    private(set) var asked = 0
    private var reasons: [String] = []

    mutating func count(_ ask: () throws -> Void) {
      asked += 1
      do { try ask() } catch { reasons.append("\(error)") }
    }

    var text: String { "\(asked - reasons.count) of \(asked)" }

    func faults(_ what: String) -> [String] {
      guard let first = reasons.first else { return [] }
      return ["\(reasons.count) \(what), the first: \(first)"]
    }
  }

  private struct Figures {
    var cards = Tally()
    var made = Tally()
    var returned = Tally()
    var times = Histogram()
    var memoryMost = 0

    /// Adds a card to each board, and makes a new one.
    mutating func round(_ people: inout [HonestPerson], _ address: SocketAddress) {
      for index in people.indices {
        let start = MonotonicClock.now()
        cards.count { try people[index].add() }
        times.record(MonotonicClock.now() - start)
      }
      let name = "new-\(made.asked)"
      made.count {
        var person = try HonestPerson(address, name, from: SharesAttack.honest)
        try person.add()
      }
    }

    /// Returns to the boards that were left.
    mutating func comeBack(_ count: Int, _ address: SocketAddress) {
      for number in 0..<count {
        returned.count {
          let person = try HonestPerson(address, "left-\(number)", "", from: SharesAttack.honest)
          let items = person.joined.items.count
          guard items == 1 + SharesAttack.leftCards else { throw RunFailure("\(items) items are there") }
        }
      }
    }

    var faults: [String] {
      cards.faults("cards were refused") + made.faults("new boards were refused")
        + returned.faults("boards that were left are gone, or cannot be joined")
    }

    var text: String {
      let latencies = [0.5, 0.99, 1].map { String(format: "%.1f ms", Double(times.percentile($0)) / 1e6) }
      return
        "cards \(cards.text), new boards \(made.text), returns \(returned.text); a card p50 \(latencies[0]), p99 \(latencies[1]), at most "
        + "\(latencies[2]); at most \(memoryMost >> 20) MiB charged"
    }
  }

  // MARK: Strangers

  private typealias Kind = @Sendable (SocketAddress, Int, Flag) -> Void

  private static let kinds: [Kind] = [makeTables, insert, park, visit, reorder]

  private static func stranger(_ number: Int, of addresses: Int, _ address: SocketAddress) -> BlockingClient? {
    guard let client = try? BlockingClient(address, from: 2 + UInt8(number % addresses)) else { return nil }
    client.wait(seconds: 2)
    return client
  }

  /// Makes tables, the largest first, until none is made any more, and tries again all the time.
  private static let makeTables: Kind = { address, addresses, isStopping in
    var items = 200_000
    var number = 0
    var held: [BlockingClient] = []
    while !isStopping.isSet {
      number += 1
      guard let client = stranger(number, of: addresses, address) else { continue }
      client.send(.hello(Hello(table: "stranger-\(number)", tableType: "list?items=\(items)", name: "stranger")))
      if case .welcome? = try? client.next() {
        held.append(client)
      } else if number % (2 * addresses) == 0 {
        items = max(1_000, items / 2)
        client.wait(seconds: 0, microseconds: 10_000)
        _ = try? client.next()
      }
    }
  }

  /// Inserts as much as fits, at tables of its own.
  private static let insert: Kind = { address, addresses, isStopping in
    var clients: [(BlockingClient, BlockingClient.Joined, UInt64)] = []
    for number in 0..<max(4, addresses) {
      guard let client = stranger(number, of: addresses, address),
        let joined = try? client.join(Hello(table: "heap-\(number)", tableType: boardType, name: "stranger"))
      else { continue }
      clients.append((client, joined, 0))
    }
    let items = (0..<15).map { _ in NewItem(attributes: [Attribute("title", text)]) }
    while !isStopping.isSet, !clients.isEmpty {
      for index in clients.indices where !isStopping.isSet {
        clients[index].2 += 1
        let (client, joined, sequence) = clients[index]
        client.send(joined.operation(.insert(items, .end(of: .first)), number: sequence))
        client.wait(seconds: 0, microseconds: 20_000)
        _ = client.readBytes()
      }
    }
  }

  /// Sends most of a large frame on many connections, and never the rest.
  private static let park: Kind = { address, addresses, isStopping in
    var held: [BlockingClient] = []
    var number = 0
    let frame = ClientMessage.operation(
      TableOperation(
        sequence: SequenceNumber(rawValue: 1), base: .zero, epoch: Epoch(rawValue: 1),
        kind: .insert(
          (0..<16).map { _ in NewItem(attributes: [Attribute("title", text)]) }, .end(of: .first)
        ))
    ).framed().dropLast(10)
    while !isStopping.isSet {
      number += 1
      guard let client = stranger(number, of: addresses, address) else { continue }
      client.send(
        .hello(Hello(table: "parked-\(number % 9)", tableType: boardType, name: "stranger", role: .spectator)))
      client.wait(seconds: 0, microseconds: 20_000)
      guard case .welcome? = try? client.next() else { continue }
      client.write(Array(frame))
      held.append(client)
      if held.count >= parkedPerAddress * min(addresses, 8) { held.removeFirst() }
    }
  }

  /// Opens sessions at tables of its own and at those of others, and leaves.
  private static let visit: Kind = { address, addresses, isStopping in
    var number = 0
    while !isStopping.isSet {
      number += 1
      guard let client = stranger(number, of: addresses, address) else { continue }
      let table = number.isMultiple(of: 2) ? "board-\(number / 2 % boards)" : "visited-\(number / 2 % 99)"
      client.send(.hello(Hello(table: table, tableType: boardType, name: "stranger", role: .spectator)))
      _ = try? client.next()
    }
  }

  /// Moves many items at once at tables of its own, so that these remember much.
  private static let reorder: Kind = { address, addresses, isStopping in
    var clients: [(BlockingClient, BlockingClient.Joined, UInt64)] = []
    let count = max(32, addresses)
    var number = 0
    while !isStopping.isSet {
      // From a base that is not remembered any more nothing is moved: others take their places from time to time.
      clients.removeAll { $0.2 >= movesPerClient || $0.0.hasEnded }
      while clients.count < count, !isStopping.isSet {
        number += 1
        let hello = Hello(table: "moved-\(number % count)", tableType: "list?items=\(itemsMoved)", name: "stranger")
        guard let client = stranger(number, of: addresses, address), let joined = try? client.join(hello) else {
          break
        }
        clients.append((client, joined, 0))
      }
      for index in clients.indices where !isStopping.isSet {
        for _ in 0..<movesAtOnce {
          clients[index].2 += 1
          let (client, joined, sequence) = clients[index]
          // Every second item, so that each goes somewhere else.
          let sources = joined.items.enumerated().filter { $0.offset % 2 == Int(sequence % 2) }.map(\.element)
          client.send(
            joined.operation(
              .reorder(
                ReorderDifference(sources: sources, destination: .end(of: .first)), suggested: []
              ),
              number: sequence))
        }
        clients[index].0.wait(seconds: 0, microseconds: 5_000)
        _ = clients[index].0.readBytes()
      }
    }
  }
}
