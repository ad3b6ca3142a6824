import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTableTypes
import Foundation

/// The journal of a daemon that is killed, and its documents of table types.
struct CrashFiles {
  let folder: TemporaryFolder
  let durability: Durability
  /// Whether the documents change before each start.
  let migrates: Bool
  private let postgres: [String: String]?

  /// A table type with aliases, whose time is up every second or so, when one of its items is done.
  static let clocked = "clocked"
  private static let clockedDocument = """
    {
      "baize": 1, "name": "clocked", "title": "Clocked", "seats": { "max": 64 }, "contention": "last",
      "collections": [
        {
          "kind": "items", "updates": true, "lift": { "offers": ["move", "alias", "delete"] },
          "accept": { "operations": ["move", "alias"], "inserts": true }
        },
        { "kind": "done", "lift": { "offers": ["move", "alias", "delete"] }, "accept": { "operations": ["move", "alias"] } }
      ],
      "setUp": [{ "numbered": { "count": 20, "attribute": "number" }, "deal": [{ "to": "items" }] }],
      "clock": { "table": { "seconds": 1, "try": [{ "move": { "from": "items", "to": "done" } }] } }
    }
    """

  /// - Parameter postgres: The environment that leads to a database, if the journal is in one.
  init(in parent: String?, durability: Durability, migrates: Bool, postgres: [String: String]? = nil) throws {
    self.postgres = postgres
    (folder, self.durability, self.migrates) = (try TemporaryFolder(in: parent), durability, migrates)
    try FileManager.default.createDirectory(atPath: types, withIntermediateDirectories: true)
    try write(Self.clockedDocument, to: Self.clocked)
  }

  private var journal: String { postgres == nil ? folder.path("journal.sqlite") : "postgresql" }
  private var types: String { folder.path("types") }

  private func write(_ document: String, to name: String) throws {
    try document.write(toFile: "\(types)/\(name).json", atomically: true, encoding: .utf8)
  }

  /// Starts a daemon.
  ///
  /// - Parameter waits: Whether it listens before this returns.
  func start(at address: String, waits: Bool) throws -> ChildProcess {
    if migrates { try changeTypes() }
    let arguments = [
      "--listen", address, "--journal", journal, "--durability", durability.rawValue, "--log-level", "warning",
      "--types", types,
    ]
    return try ChildProcess(
      "baized", arguments + (migrates ? ["--migrate"] : []), marker: waits ? ChildProcess.daemonMarker : nil,
      environment: postgres ?? [:],
      keepsEarlySignals: true)
  }

  /// Gives the types that are played another title and another variable.
  private func changeTypes() throws {
    let mark = UInt64.random(in: 0...UInt64.max)
    let bundled = TableTypeLibrary.bundled.documents.map { (name: $0.name, title: $0.title, text: $0.text) }
    for document in bundled + [(Self.clocked, "Clocked", Self.clockedDocument)] {
      let title = "\"title\": \"\(document.title)\","
      guard document.text.contains(title), let range = document.text.range(of: "\"collections\": [") else {
        throw RunFailure("the document of '\(document.name)' cannot be changed")
      }
      var text = document.text
      if !text.contains("\"variables\"") {
        text.insert(contentsOf: "\"variables\": { \"v\(mark)\": 1 },\n", at: range.lowerBound)
      }
      try write(text.replacing(title, with: "\"title\": \"\(mark)\","), to: document.name)
    }
  }

  // MARK: Checks

  /// Checks that every table's history in the journal leads to the stored snapshots.
  func replay(_ options: LedgerPlayOptions) throws {
    let listing = try output(of: ["tables", journal])
    let names = listing.split(whereSeparator: \.isWhitespace).filter { $0.hasPrefix(options.tablePrefix) }
    guard names.count == options.tables else { throw RunFailure("the journal lists other tables:\n\(listing)") }
    for name in names { _ = try output(of: ["replay", journal, String(name)]) }
    Console.print("\(names.count) tables replayed from the journal")
  }

  /// Checks that every table has moved to the last documents.
  func checkDocuments(tables: Int) throws {
    let listing = try output(of: ["tables", journal, "--types", types])
    let present = listing.split(separator: "\n").filter { $0.hasSuffix(" present") }
    guard present.count == tables else { throw RunFailure("tables have older documents:\n\(listing)") }
    Console.print("\(present.count) tables have the last documents")
  }

  private func output(of arguments: [String]) throws -> String {
    let program = try ChildProcess("baized", arguments, environment: postgres ?? [:])
    guard program.waitForExit() == 0 else {
      throw RunFailure("baized \(arguments): \(program.errors)\(program.output)")
    }
    return program.output
  }
}
