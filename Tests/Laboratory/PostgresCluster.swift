import BaizeDriver
import Foundation
import Synchronization

/// A PostgreSQL server of its own, with its data in a temporary folder, that only listens at a socket in it. As root it runs as the
/// user `nobody`, since PostgreSQL refuses root.
package final class PostgresCluster: Sendable {
  /// The folder of PostgreSQL's programs; `nil` if it is not installed.
  package static let programs: String? = {
    let parent = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
    return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(parent)/\($0)/bin" }
      .first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  private let folder: Mutex<TemporaryFolder>
  private let path: String
  private let programs: String
  private let isDurable: Bool
  private let server = Mutex<Process?>(nil)
  private let databases = Atomic(0)

  /// Makes a cluster and starts its server.
  ///
  /// - Parameters:
  ///   - parent: The folder of its folder; the system's temporary directory unless given.
  ///   - isDurable: Whether it waits for the disk; what a killed server has committed is there in any case.
  /// - Throws: ``RunFailure`` if PostgreSQL is not installed or does not start.
  package init(in parent: String? = nil, isDurable: Bool = false) throws {
    guard let programs = Self.programs else { throw RunFailure("PostgreSQL is not installed") }
    let folder = try TemporaryFolder(in: parent)
    (path, self.programs, self.isDurable) = (folder.url.path, programs, isDurable)
    self.folder = Mutex(folder)
    if geteuid() == 0 { try run(["/bin/chown", "nobody:nogroup", path], asOwner: false) }
    try run([
      "\(programs)/initdb", "-D", "\(path)/data", "-U", "baize", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync",
    ])
    // Everyone but this role is trusted.
    try run(["/bin/sed", "-i", "1i local all \(Self.guardedRole) scram-sha-256", "\(path)/data/pg_hba.conf"])
    try start()
  }

  /// The name of a role that needs a password, once it is made.
  package static let guardedRole = "guarded"

  deinit { stop() }

  /// The one that all tests of this process use, each with a database of its own. It is removed when the process ends.
  package static let shared: Result<PostgresCluster, any Error> = Result {
    let cluster = try PostgresCluster()
    atexit {
      if case .success(let cluster) = PostgresCluster.shared { cluster.discard() }
    }
    return cluster
  }

  private func discard() {
    stop()
    try? FileManager.default.removeItem(atPath: path)
  }

  /// What leads libpq to a database of the cluster.
  ///
  /// - Parameter database: Its name.
  package func environment(_ database: String) -> [String: String] {
    ["PGHOST": path, "PGUSER": "baize", "PGDATABASE": database]
  }

  /// The same as parameters of a connection.
  package func parameters(_ database: String) -> [String: String] {
    ["host": path, "user": "baize", "dbname": database]
  }

  /// Makes an empty database.
  ///
  /// - Returns: Its name.
  package func makeDatabase() throws -> String {
    let name = "d\(databases.add(1, ordering: .relaxed).newValue)"
    try query("create database \(name)", in: "postgres")
    return name
  }

  /// Runs a statement by `psql`.
  ///
  /// - Returns: What it prints, without headings.
  @discardableResult package func query(_ statement: String, in database: String) throws -> String {
    try run([
      "\(programs)/psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", path, "-U", "baize", "-d", database, "-c", statement,
    ])
  }

  /// Copies a database by `pg_dump`.
  ///
  /// - Returns: The path of the copy.
  package func dump(_ database: String) throws -> String {
    let file = "\(path)/\(database).dump"
    try run(["\(programs)/pg_dump", "-h", path, "-U", "baize", "-Fc", "-f", file, database])
    return file
  }

  /// Plays a copy back into an empty database.
  package func restore(_ file: String, into database: String) throws {
    try run(["\(programs)/pg_restore", "-h", path, "-U", "baize", "--exit-on-error", "-d", database, file])
  }

  // MARK: Server

  /// Starts the server, and waits until it answers.
  package func start() throws {
    try waitUntil(for: "PostgreSQL to start", step: { usleep(50_000) }) {
      let isRunning = server.withLock { $0?.isRunning ?? false }
      if !isRunning { try launch() }
      return (try? query("select 1", in: "postgres")) == "1"
    }
  }

  private func launch() throws {
    let process = Process()
    let words = command([
      "\(programs)/postgres", "-D", "\(path)/data", "-k", path, "-c", "listen_addresses=", "-c",
      "fsync=\(isDurable ? "on" : "off")",
    ])
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try OrphanGuard.run(process)
    server.withLock { $0 = process }
  }

  /// Kills the server, as when its machine loses its power.
  package func kill() { end(SIGKILL) }

  /// Stops the server, without waiting for its clients.
  package func stop() { end(SIGQUIT) }

  private func end(_ signal: Int32) {
    server.withLock { server in
      guard let process = server, process.isRunning else { return }
      _ = Foundation.kill(process.processIdentifier, signal)
      process.waitUntilExit()
      server = nil
    }
  }

  // MARK: Programs

  private func command(_ words: [String]) -> [String] {
    geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + words : words
  }

  @discardableResult private func run(_ words: [String], asOwner: Bool = true) throws -> String {
    let words = asOwner ? command(words) : words
    let ended = try EndedProcess(words)
    guard ended.code == 0 else { throw RunFailure("\(words.joined(separator: " ")) failed: \(ended.output)") }
    return ended.output.trimmingCharacters(in: .newlines)
  }
}
