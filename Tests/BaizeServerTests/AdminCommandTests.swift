import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeWire
import Foundation
import Testing

extension ServerTests {
  /// The commands that find a running daemon by its operator's address.
  @Suite struct AdminCommands {
    private final class Daemon {
      let folder: TemporaryFolder
      let process: ChildProcess
      let admin: String

      init() throws {
        folder = try TemporaryFolder()
        process = try ChildProcess(
          "baized",
          HangGuard.daemonFlags + [
            "--listen", "127.0.0.1:0", "--http", "off", "--admin", "127.0.0.1:0", "--admin-token-file", "token",
            "--shards",
            "1", "--log-level", "error", "--journal", "journal",
          ], marker: ChildProcess.daemonMarker, in: folder)
        let url = try #require(process.rest(ofLine: "baized serves the operator at http://"))
        admin = String(url.dropLast())
      }

      func run(
        _ arguments: String..., environment: [String: String?] = [:]
      ) throws -> (code: Int32, output: String, errors: String) {
        let program = try ChildProcess("baized", arguments, in: folder, environment: environment)
        return (program.waitForExit(), program.output, program.errors)
      }
    }

    @Test func `each finds the journal of a running daemon, and delete has it delete`() throws {
      let daemon = try Daemon()
      for table in ["one", "two", "three"] {
        _ = try BlockingClient.joining(
          daemon.process.address, Hello(table: table, tableType: "list?items=3", name: "Ada"))
      }
      let flags = ["--admin", daemon.admin, "--admin-token-file", "token"]
      let tables = try daemon.run("tables", flags[0], flags[1], flags[2], flags[3])
      #expect(tables.code == 0 && tables.output.split(separator: "\n").count == 4, "\(tables)")
      let export = try daemon.run("export", flags[0], flags[1], flags[2], flags[3], "one")
      #expect(export.code == 0 && export.output.contains("list?items=3"), "\(export)")
      let replay = try daemon.run("replay", flags[0], flags[1], flags[2], flags[3])
      #expect(replay.code == 0 && replay.output.contains("3 tables, 3 consistent"), "\(replay)")
      let backup = try daemon.run("backup", flags[0], flags[1], flags[2], flags[3], "copy")
      #expect(backup.code == 0 && FileManager.default.fileExists(atPath: daemon.folder.path("copy")), "\(backup)")

      // The file of a running daemon is not changed from outside.
      #expect(try daemon.run("delete", "journal", "one").code == 2)
      let missing = try daemon.run("delete", flags[0], flags[1], flags[2], flags[3], "one", "nowhere")
      #expect(missing.code == 2 && missing.errors.contains("nowhere"))
      let deleted = try daemon.run("delete", flags[0], flags[1], flags[2], flags[3], "one", "three")
      #expect(deleted.code == 0 && deleted.output == "deleted: one, three\n", "\(deleted)")
      #expect(try daemon.run("tables", "journal").output.split(separator: "\n").count == 2)
      #expect(daemon.process.stop() == 0)
      #expect(try daemon.run("delete", "journal", "two").code == 0)
    }

    @Test func `a wrong token, another server and no server give one line, and create nothing`() throws {
      let daemon = try Daemon()
      func fails(_ arguments: String..., with text: String, token: String? = nil) throws {
        let environment: [String: String?] = token == nil ? [:] : ["BAIZE_ADMIN_TOKEN": token]
        let program = try ChildProcess("baized", arguments, in: daemon.folder, environment: environment)
        #expect(program.waitForExit() == 2)
        #expect(program.errors.contains(text) && program.errors.split(separator: "\n").count == 1, "\(program.errors)")
      }
      try fails("tables", "--admin", daemon.admin, with: "refuses: the token is wrong", token: "0123456789abcdef0")
      try fails("tables", "--admin", daemon.admin, with: "BAIZE_ADMIN_TOKEN")
      try fails("tables", "--admin", daemon.admin, "--admin-token-file", "missing", with: "cannot be read")
      try fails("tables", "--admin", "127.0.0.1:1", "--admin-token-file", "token", with: "no daemon answers")
      try fails("delete", "--admin", daemon.admin, "--admin-token-file", "token", with: "expected a file and tables")
      #expect(!FileManager.default.fileExists(atPath: daemon.folder.path("missing")))
      #expect(daemon.process.stop() == 0)
    }

    /// I8: without a token there is no operator's address.
    @Test func `the daemon refuses to start without a token`() throws {
      let folder = try TemporaryFolder()
      func errors(_ arguments: String..., token: String? = nil) throws -> String {
        let program = try ChildProcess(
          "baized", ["--listen", "127.0.0.1:0", "--http", "off", "--journal", ":memory:"] + arguments, in: folder,
          environment: ["BAIZE_ADMIN_TOKEN": token])
        #expect(program.waitForExit() == 2)
        return program.errors
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
