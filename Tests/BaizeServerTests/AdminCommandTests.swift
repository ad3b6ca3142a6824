import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeWire
import Foundation
import Testing

extension DaemonProgramTests {
  /// The commands that find a running daemon by its operator's address.
  @Suite struct AdminCommands {
    private let folder: TemporaryFolder
    private let daemon: ChildProcess

    init() throws {
      folder = try TemporaryFolder()
      daemon = try .listening(
        [
          "--http", "off", "--admin", "127.0.0.1:0", "--admin-token-file", "token", "--shards", "1", "--journal",
          "journal",
        ], in: folder)
    }

    private func run(_ arguments: [String]) throws -> Ended { try ChildProcess.run(arguments, in: folder) }

    @Test func `each finds the journal of a running daemon, and delete has it delete`() throws {
      for table in ["one", "two", "three"] {
        _ = try BlockingClient.joining(
          daemon.address, Hello(table: table, tableType: "list?items=3", name: "Ada"))
      }
      let flags = try daemon.adminFlags()
      let tables = try run(["tables"] + flags)
      #expect(tables.code == 0 && tables.output.split(separator: "\n").count == 4, "\(tables)")
      let export = try run(["export"] + flags + ["one"])
      #expect(export.code == 0 && export.output.contains("list?items=3"), "\(export)")
      let replay = try run(["replay"] + flags)
      #expect(replay.code == 0 && replay.output.contains("3 tables, 3 consistent"), "\(replay)")
      let backup = try run(["backup"] + flags + ["copy"])
      #expect(backup.code == 0 && FileManager.default.fileExists(atPath: folder.path("copy")), "\(backup)")

      // The file of a running daemon is not changed from outside.
      #expect(try run(["delete", "journal", "one"]).code == 2)
      let missing = try run(["delete"] + flags + ["one", "nowhere"])
      #expect(missing.code == 2 && missing.errors.contains("nowhere"))
      let deleted = try run(["delete"] + flags + ["one", "three"])
      #expect(deleted.code == 0 && deleted.output == "deleted: one, three\n", "\(deleted)")
      #expect(try run(["tables", "journal"]).output.split(separator: "\n").count == 2)
      #expect(daemon.stop() == 0)
      #expect(try run(["delete", "journal", "two"]).code == 0)
    }

    @Test func `a wrong token, another server and no server give one line, and create nothing`() throws {
      let admin = try daemon.adminFlags()[1]
      func fails(_ arguments: String..., with text: String, token: String? = nil) throws {
        let environment: [String: String?] = token == nil ? [:] : ["BAIZE_ADMIN_TOKEN": token]
        let ended = try ChildProcess.run(arguments, in: folder, environment: environment)
        #expect(ended.code == 2 && ended.errors.contains(text), "\(ended.errors)")
        #expect(ended.errors.split(separator: "\n").count == 1, "\(ended.errors)")
      }
      try fails("tables", "--admin", admin, with: "refuses: the token is wrong", token: "0123456789abcdef0")
      try fails("tables", "--admin", admin, with: "BAIZE_ADMIN_TOKEN")
      try fails("tables", "--admin", admin, "--admin-token-file", "missing", with: "cannot be read")
      try fails("tables", "--admin", "127.0.0.1:1", "--admin-token-file", "token", with: "no daemon answers")
      try fails("delete", "--admin", admin, "--admin-token-file", "token", with: "expected a file and tables")
      #expect(!FileManager.default.fileExists(atPath: folder.path("missing")))
      #expect(daemon.stop() == 0)
    }

    /// I8: without a token there is no operator's address.
    @Test func `the daemon refuses to start without a token`() throws {
      let folder = try TemporaryFolder()
      func errors(_ arguments: String..., token: String? = nil) throws -> String {
        let ended = try ChildProcess.run(
          ["--listen", "127.0.0.1:0", "--http", "off", "--journal", ":memory:"] + arguments, in: folder,
          environment: ["BAIZE_ADMIN_TOKEN": token])
        #expect(ended.code == 2)
        return ended.errors
      }
      #expect(try errors("--admin", "127.0.0.1:0").contains("--admin-token-file"))
      #expect(try errors("--admin", "127.0.0.1:0", token: "short").contains("at least 16"))
      #expect(try errors("--admin-token-file", "token").contains("'--admin' with it"))
      try Data("guess\n".utf8).write(to: URL(fileURLWithPath: folder.path("token")))
      #expect(chmod(folder.path("token"), 0o644) == 0)
      #expect(try errors("--admin", "127.0.0.1:0", "--admin-token-file", "token").contains("chmod 600"))
    }
  }
}
