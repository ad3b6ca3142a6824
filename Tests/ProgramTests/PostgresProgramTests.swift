#if PostgreSQL
  import BaizeDriver
  import BaizeLaboratory
  import Foundation
  import TestSupport
  import Testing

  /// Daemons and commands with a journal in PostgreSQL, as operators start them.
  @Suite(
    .serialized, .hangGuard, .dedicatedThreads, .enabled(if: PostgresCluster.programs != nil, "needs postgresql-15"))
  struct PostgresProgramTests {
    private let cluster: PostgresCluster
    private let environment: [String: String]

    init() throws {
      cluster = try PostgresCluster.shared.get()
      environment = cluster.environment(try cluster.makeDatabase())
    }

    private func startDaemon() throws -> ChildProcess {
      try ChildProcess(
        "baized", ["--listen", "127.0.0.1:0", "--journal", "postgresql", "--allow-seeds"],
        marker: ChildProcess.daemonMarker, environment: environment)
    }

    /// Runs a command to its end.
    ///
    /// - Returns: Its output.
    @discardableResult private func run(
      _ arguments: [String], of program: String = "baized", exitCode: Int32 = 0,
      environment other: [String: String] = [:]
    ) throws -> String {
      let process = try ChildProcess(program, arguments, environment: environment.merging(other) { $1 })
      let code = process.waitForExit()
      #expect(code == exitCode, "\(program) \(arguments): \(process.output) \(process.errors)")
      return process.output + process.errors
    }

    private func play(_ daemon: ChildProcess, seed: Int) throws {
      try run(
        [
          "run", "--connect", "\(daemon.address)", "--tables", "3", "--players", "2", "--type", "kanban?cards=20",
          "--window",
          "4",
          "--seconds", "1", "--seed", "\(seed)",
        ], of: "baize-load")
    }

    @Test func `the later daemon has the tables, and the first one ends with exit code 3`() throws {
      let first = try startDaemon()
      try play(first, seed: 1)
      let second = try startDaemon()
      #expect(first.waitForExit() == 3)
      #expect(first.errors.contains("another daemon has taken over the journal in PostgreSQL; this one ends"))
      try play(second, seed: 2)
      #expect(second.stop() == 0)
      #expect(try run(["replay", "postgresql"]).contains(" consistent"))
    }

    @Test func `commands take the database in place of a file, and copies are equal`() throws {
      let folder = try TemporaryFolder()
      let daemon = try startDaemon()
      try play(daemon, seed: 1)
      #expect(daemon.stop() == 0)
      let tables = try run(["tables", "postgresql"])
      #expect(tables.split(separator: "\n").count == 4)
      let name = try #require(tables.split(separator: "\n").last?.split(separator: " ").first.map(String.init))
      let export = try run(["export", "postgresql", name])
      #expect(try run(["copy", "postgresql", folder.path("journal")]).contains("3 tables, "))
      #expect(try run(["export", folder.path("journal"), name]) == export)
      #expect(try run(["replay", folder.path("journal")]).contains(" consistent"))
      #expect(
        try run(["copy", folder.path("journal"), "postgresql"], exitCode: 2).contains("a copy replaces nothing"))
      let other = ["PGDATABASE": try cluster.makeDatabase()]
      try run(["copy", folder.path("journal"), "postgresql"], environment: other)
      #expect(try run(["export", "postgresql", name], environment: other) == export)
      #expect(try run(["replay", "postgresql"], environment: other) == run(["replay", "postgresql"]))
      try run(["delete", "postgresql", name])
      #expect(try !run(["tables", "postgresql"]).contains(name))
      #expect(try run(["tables", "postgresql"], environment: other).contains(name))
      #expect(try run(["backup", "postgresql", folder.path("copy")], exitCode: 2).contains("pg_dump"))
    }

    @Test func `a start without its server fails with exit code 1, and one that is refused with 2`() throws {
      let arguments = ["--listen", "127.0.0.1:0", "--journal", "postgresql"]
      #expect(
        try run(arguments, exitCode: 1, environment: ["PGHOST": "/nowhere"]).contains("No such file or directory"))
      #expect(
        try run(arguments, exitCode: 2, environment: ["PGDATABASE": "nowhere"]).contains("\"nowhere\" does not exist"))
    }

    @Test func `a backup of pg_dump is played back into an empty database`() throws {
      let daemon = try startDaemon()
      try play(daemon, seed: 1)
      let dump = try cluster.dump(try #require(environment["PGDATABASE"]))
      try play(daemon, seed: 2)
      #expect(daemon.stop() == 0)
      let other = try cluster.makeDatabase()
      try cluster.restore(dump, into: other)
      let replay = try run(["replay", "postgresql"], environment: ["PGDATABASE": other])
      #expect(replay.contains(" consistent") && replay.split(separator: "\n").count > 3)
    }
  }
#endif
