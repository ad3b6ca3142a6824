#if OpenSSL
  import BaizeClient
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTable
  import BaizeTransport
  import BaizeWire
  import Foundation
  import Synchronization
  import TestSupport
  import Testing

  extension DaemonProgramTests {
    /// J23 from outside: keys and tokens that `baized token` makes, a daemon with them, and what an operator revokes.
    @Suite struct Tokens {
      private let folder: TemporaryFolder

      init() throws { folder = try TemporaryFolder() }

      private static func token(_ more: [String] = [], in folder: TemporaryFolder) throws -> String {
        let ended = try ChildProcess.run(
          [
            "token", "--key", "secret.json", "--issuer", "my-app", "--audience", "tables", "--subject", "ann",
            "--tables", "board-*",
          ] + more, in: folder)
        guard ended.code == 0 else { throw RevocationFailure(text: ended.errors) }
        return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
      }

      private struct RevocationFailure: Error { let text: String }

      private func daemon(_ more: [String] = []) throws -> ChildProcess {
        try .listening(
          [
            "--token-keys", "secret.json", "--token-issuer", "my-app", "--token-audience", "tables",
            "--http", "off", "--admin", "127.0.0.1:0", "--admin-token-file", "token", "--journal", "journal",
          ] + more, in: folder)
      }

      private func revoke(_ subject: String, at daemon: ChildProcess) throws -> Int {
        let address = try SocketAddress(parsing: try daemon.adminFlags()[1])
        let secret = try String(contentsOfFile: folder.path("token"), encoding: .utf8)
        return try HTTPClient(address).get(
          "/revoke?subject=\(subject)",
          "Authorization: Bearer \(secret.trimmingCharacters(in: .whitespacesAndNewlines))", method: "POST",
          host: "localhost"
        ).status
      }

      /// Whether what is revoked is in a file, and not in the journal.
      @Test(arguments: [true, false])
      func `a client joins with a token of the command, until it is revoked`(inFile: Bool) async throws {
        let flags = inFile ? ["--token-revocations", "revoked.json"] : []
        let first = try Self.token(["--name", "Ann", "--seat", "2"], in: folder)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("secret.json"))[.posixPermissions]
        #expect(mode as? Int == 0o600)
        let daemon = try daemon(flags)
        #expect(try refusal(of: Hello(table: "board-1", tableType: "list"), at: daemon.address) == .tokenRefused)
        var configuration = ClientConfiguration(table: "board-1", tableType: "list?items=3")
        let asked = Mutex(0)
        configuration.signedToken = {
          asked.withLock { $0 += 1 }
          return first
        }
        let client = try await TableClient.join(
          .tcp(daemon.address), configuration, timeout: .seconds(HangGuard.seconds))
        let count = asked.withLock { $0 }
        #expect(client.seat.rawValue == 2 && count == 1)
        #expect(try await client.move(fromOffsets: [0], toOffset: 2, in: "items").outcome.isAccepted)
        #expect(try revoke("ann", at: daemon) == 204)
        for await event in client.events { if case .ended = event { break } }
        #expect(
          try refusal(of: Hello(table: "board-1", signedToken: first), at: daemon.address) == .tokenRefused)
        #expect(daemon.stop() == 0)
        let again = try self.daemon(flags)
        #expect(FileManager.default.fileExists(atPath: folder.path("revoked.json")) == inFile)
        #expect(try refusal(of: Hello(table: "board-1", signedToken: first), at: again.address) == .tokenRefused)
        #expect(again.stop() == 0)
        // What was shown is nowhere: neither in what the daemons have said nor in the files.
        let signature = try #require(first.split(separator: ".").last)
        for text in [daemon.output, daemon.errors, again.output, again.errors] {
          #expect(!text.contains(signature) && !text.contains(first.prefix(60)))
        }
      }

      @Test(.needs(.pythonWithCryptography))
      func `the back end of the example signs what the daemon accepts`() throws {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
          .deletingLastPathComponent().appendingPathComponent("deploy/tokens.py").path
        @discardableResult func run(_ arguments: String...) throws -> String {
          let program = try ChildProcess("python3", [script] + arguments, in: folder, programs: "/usr/bin")
          #expect(program.waitForExit() == 0, "\(program.errors)")
          return program.output.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        try run("keygen", "issuer.pem", "secret.json")
        let daemon = try daemon()
        let token = try run("sign", "issuer.pem", "ann", "board-*", "--seat", "2")
        let client = try BlockingClient(daemon.address)
        let joined = try client.join(Hello(table: "board-1", tableType: "list", signedToken: token))
        #expect(joined.welcome.seat.rawValue == 2)
        #expect(daemon.stop() == 0)
      }

      @Test func `flags that are not enough are refused in words`() throws {
        for flags in [
          ["--token-keys", "x"], ["--token-issuer", "a", "--token-audience", "b"], ["--token-revocations", "x"],
        ] {
          let ended = try ChildProcess.run(["--listen", "127.0.0.1:0", "--http", "off"] + flags, in: folder)
          #expect(ended.code == 2 && ended.errors.contains("with it"), "\(ended.errors)")
        }
      }
    }
  }
#endif
