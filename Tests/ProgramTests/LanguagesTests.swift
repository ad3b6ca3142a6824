import BaizeDriver
import BaizeLaboratory
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload
import Foundation
import TestSupport
import Testing

@testable import BaizeClient

/// The clients in Swift, Python and JavaScript at one table (I1, I3).
@Suite(.hangGuard) struct LanguagesTests {
  /// `BAIZE_OPERATIONS=100000` runs more.
  private static let operations =
    ProcessInfo.processInfo.environment["BAIZE_OPERATIONS"].flatMap { Int($0) } ?? 1_500
  private static let seed = ProcessInfo.processInfo.environment["BAIZE_SEED"].flatMap { UInt64($0) } ?? 1
  private static let table = "languages"
  private static let pendingMax = 16
  private static let itemsMax = 40

  @Test(.needs(.node, .protoc, .pythonWithProtobuf))
  func `I1: random operations of clients in three languages end with equal hashes`() async throws {
    let (operations, seed) = (Self.operations, Self.seed)
    let daemon = try ChildProcess.daemon(arguments: ["--http", "127.0.0.1:0"])
    let http = try #require(daemon.rest(ofLine: "baized serves http://"))
    let board = ClientConfiguration(table: Self.table, tableType: "list?items=10", name: "Swift")
    let client = try await TableClient.join("\(daemon.address)", board, timeout: .seconds(HangGuard.seconds))
    let each = "\(operations / 3)"
    let folder = try TemporaryFolder()
    let last = folder.path("revision")
    let python = try ChildProcess(
      "python3",
      [Self.path("ForeignClient/random_player.py"), "\(daemon.address)", Self.table, each, "\(seed)", last],
      programs: "/usr/bin")
    let node = try ChildProcess(
      "node", [Self.path("JavaScript/random-player.js"), "ws://\(http)ws", Self.table, each, "\(seed)", last],
      programs: "/usr/bin")
    var random = RandomSource(seed: seed)
    for _ in 0..<operations - 2 * (operations / 3) {
      while client.waitingOperations.count >= Self.pendingMax { try await Task.sleep(for: .microseconds(200)) }
      let submission = client.submit(Self.operation(client.itemIDs(in: "items"), &random), sendsRefused: true)
      #expect(submission.operation != nil, "seed \(seed)")
    }
    try await Self.wait(for: "done", of: python)
    try await Self.wait(for: "done", of: node)
    while client.waitingOperations.count > 0 { try await Task.sleep(for: .milliseconds(1)) }
    // Nothing is in flight: the last answer to any client is the table's last revision.
    let reader = try await TableClient.join(
      "\(daemon.address)", Self.spectator, timeout: .seconds(HangGuard.seconds))
    let (revision, hash) = Self.hash(of: reader)
    while client.revision < revision { try await Task.sleep(for: .milliseconds(1)) }
    #expect(Self.hash(of: client) == (revision, hash), "seed \(seed)")
    try "\(revision.rawValue)".write(toFile: last, atomically: true, encoding: .utf8)
    try await Self.wait(for: "\(revision.rawValue) \(hash) True", of: python)
    try await Self.wait(for: "\(revision.rawValue) true", of: node)
    #expect(revision.rawValue > UInt64(operations) / 2)
    print("\(operations) operations, revision \(revision.rawValue), seed \(seed): every hash is \(hash)")
    await reader.leave()
    await client.leave()
    #expect(daemon.stop() == 0)
  }

  private static func path(_ file: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(file)
      .path
  }

  /// Waits for a line of a program's output.
  private static func wait(for line: String, of program: ChildProcess) async throws {
    while program.rest(ofLine: line) != "" {
      try #require(program.isRunning || program.rest(ofLine: line) == "", "\(program.output) \(program.errors)")
      try await Task.sleep(for: .milliseconds(10))
    }
  }

  private static var spectator: ClientConfiguration {
    var configuration = ClientConfiguration(table: table, name: "reader")
    configuration.role = .spectator
    return configuration
  }

  private static func hash(of client: TableClient) -> (Revision, UInt64) {
    client.shared.read { core in
      guard var replica = core.replica else { return (.zero, 0) }
      return (replica.confirmedRevision, replica.confirmedHash())
    }
  }

  private static func operation(_ items: [ItemID], _ random: inout RandomSource) -> TableOperation.Kind {
    let list = CollectionHandle(rawValue: 1)
    let choice = random.below(10)
    let anchor = random.below(items.count + 1)
    let gap: Destination = anchor == items.count ? .end(of: list) : .before(items[anchor], in: list)
    let attributes = [Attribute("number", Int64(random.below(1_000)))]
    if items.count < 4 || (choice < 2 && items.count < itemsMax) {
      return .insert([NewItem(attributes: attributes)], gap)
    }
    let chosen = items[random.below(items.count)]
    if choice < 4 { return .remove([chosen]) }
    if choice == 4 { return .update(chosen, attributes: attributes, representations: []) }
    let other = items[random.below(items.count)]
    let sources: ItemList = choice < 8 || other == chosen ? [chosen] : [chosen, other]
    return .reorder(ReorderDifference(sources: sources, destination: gap), suggested: [])
  }
}
