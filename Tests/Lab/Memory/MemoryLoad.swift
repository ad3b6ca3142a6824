import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeTransport
import BaizeWire
import Foundation

/// A daemon under one kind of load, and samples of its memory.
final class MemoryLoad {
  private(set) var daemon: ChildProcess
  private(set) var samples: [Sample] = []
  /// The clients that stay connected.
  private var clients: [BlockingClient] = []
  private let folder: TemporaryFolder
  private let journal: String?
  private let arguments: [String]
  private var idleBytes = 0
  private var sampledAt: UInt64 = 0
  private static let sampleNanoseconds: UInt64 = 1_000_000_000

  struct Sample {
    /// The allocated memory above that of the idle daemon, in bytes.
    var allocated: Int
    /// The bytes that the daemon charged by its last report.
    var charged: Int
  }

  init(hasJournal: Bool, arguments: [String]) throws {
    folder = try TemporaryFolder()
    journal = hasJournal ? folder.path("memory.sqlite") : nil
    self.arguments = arguments + ["--memory-max", "\(64 << 30)", "--heartbeat", "3600"]
    daemon = try Self.start(journal, self.arguments)
    try noteIdle()
  }

  private static func start(_ journal: String?, _ arguments: [String]) throws -> ChildProcess {
    try ChildProcess.daemon(journal: journal, shards: 1, logLevel: "debug", arguments: arguments)
  }

  private func noteIdle() throws {
    Thread.sleep(forTimeInterval: 0.3)
    idleBytes = daemon.usage.anonymousBytes ?? 0
  }

  /// Stops the daemon and starts another one on its journal.
  func restart() throws {
    for client in clients { client.close() }
    clients.removeAll()
    daemon.stop()
    daemon = try Self.start(journal, arguments)
    try noteIdle()
  }

  func stop() {
    for client in clients { client.close() }
    daemon.stop()
  }

  // MARK: Samples

  /// Takes a sample, if the last one is a second old.
  func sample(isDue: Bool = false) {
    let now = MonotonicClock.now()
    guard isDue || now >= sampledAt + Self.sampleNanoseconds, let allocated = daemon.usage.anonymousBytes else {
      return
    }
    sampledAt = now
    samples.append(Sample(allocated: allocated - idleBytes, charged: charged))
  }

  private var charged: Int {
    let line = daemon.errors.split(separator: "\n").last { $0.contains("memory: ") && $0.hasSuffix("bytes charged") }
    return line?.split(separator: " ").dropLast(2).last.flatMap { Int($0) } ?? 0
  }

  // MARK: Clients

  /// Connects a client that stays connected.
  func connect(receiveBufferBytes: Int32? = nil) throws -> BlockingClient {
    let client = try BlockingClient(daemon.address, receiveBufferBytes: receiveBufferBytes)
    clients.append(client)
    sample()
    return client
  }

  /// Lets an author act at a table, which it makes.
  func author(_ table: String, _ type: String = "list") throws -> TableAuthor {
    try TableAuthor(connect(), table, type) { self.sample() }
  }

  /// Connects a client that joins a table and disconnects at once.
  func visit(_ table: String, _ type: String = "", role: Role = .player) throws {
    let client = try BlockingClient(daemon.address)
    try client.join(Hello(table: table, tableType: type, name: "guest", role: role))
    client.close()
    sample()
  }

  /// Connects clients that join a table and read nothing but its snapshot.
  func stall(_ count: Int, at table: String, reads: Bool = true) throws {
    for _ in 0..<count {
      let client = try connect(receiveBufferBytes: 4 << 10)
      let hello = Hello(table: table, name: "stalled", role: .spectator)
      if reads { try client.join(hello) } else { client.send(.hello(hello)) }
    }
  }
}

extension NewItem {
  /// Returns an item with so many bytes of data.
  static func data(_ bytes: Int) -> NewItem {
    NewItem(representations: [Representation(contentType: "text/plain", data: Array(repeating: 7, count: bytes))])
  }

  /// Returns an item with so many attributes, each with a text of so many bytes.
  static func texts(_ count: Int, bytes: Int) -> NewItem {
    NewItem(
      attributes: (0..<count).map { Attribute("attribute\($0 + 100)", String(repeating: "x", count: bytes)) })
  }
}
