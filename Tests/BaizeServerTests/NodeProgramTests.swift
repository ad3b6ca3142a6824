#if PostgreSQL
  import BaizeClient
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTable
  import BaizeTransport
  import BaizeWire
  import Foundation
  import TestSupport
  import Testing

  /// Daemons with one journal in PostgreSQL, as operators start them: one serves, the others wait.
  @Suite(
    .serialized, .hangGuard, .dedicatedThreads, .enabled(if: PostgresCluster.programs != nil, "needs postgresql-15"))
  struct NodeProgramTests {
    private let cluster: PostgresCluster
    private let environment: [String: String]

    init() throws {
      cluster = try PostgresCluster.shared.get()
      environment = cluster.environment(try cluster.makeDatabase())
    }

    private func start(
      _ name: String, at address: String = "127.0.0.1:0", waits: Bool = false, _ arguments: [String] = []
    ) throws -> ChildProcess {
      let daemon = try ChildProcess(
        "baized", ["--listen", address, "--http", "off", "--journal", "postgresql", "--node", name] + arguments,
        marker: waits ? nil : ChildProcess.daemonMarker, environment: environment, keepsEarlySignals: true)
      guard waits else { return daemon }
      try waitUntil(for: "the node to wait", step: { usleep(10_000) }) {
        guard daemon.isRunning else { throw RunFailure("the node has ended: \(daemon.errors)") }
        return daemon.errors.contains("waits and listens nowhere")
      }
      return daemon
    }

    /// Waits until a node that has waited listens.
    private func address(of daemon: ChildProcess) throws -> SocketAddress {
      try waitUntil(for: "the node to listen", step: { usleep(10_000) }) {
        guard daemon.isRunning else { throw RunFailure("the node has ended: \(daemon.errors)") }
        return daemon.rest(ofLine: ChildProcess.daemonMarker) != nil
      }
      return try SocketAddress(parsing: try #require(daemon.rest(ofLine: ChildProcess.daemonMarker)))
    }

    /// A person at a table goes on at the next node, whatever ends the one before, and nothing is lost or done twice.
    @Test(arguments: [SIGKILL, SIGTERM, SIGSTOP])
    func `a client goes on at the next node`(signal: Int32) async throws {
      let first = try start("a")
      let one = "\(first.address)"
      // The same port of another address of this machine.
      let two = one.replacing("127.0.0.1:", with: "127.0.0.3:")
      let second = try start("b", at: two, waits: true)
      let client = try await TableClient.join(
        try .tcp(parsing: "\(one),\(two)"), ClientConfiguration(table: "t", tableType: "list?items=5"),
        timeout: .seconds(HangGuard.seconds))
      let session = client.session
      let before = client.revision
      for _ in 0..<10 {
        #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
      }
      first.send(signal)
      for _ in 0..<10 {
        switch try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome {
        // The first node may have judged it, and told nobody.
        case .accepted, .acceptedBefore: break
        case let other: Issue.record("\(other)")
        }
      }
      #expect(client.session == session && client.revision.rawValue == before.rawValue + 20)
      #expect(try "\(address(of: second))" == two)
      switch signal {
      case SIGTERM: #expect(first.waitForExit() == 0)
      case SIGKILL: #expect(first.waitForExit() == -SIGKILL)
      case _:
        first.send(SIGCONT)
        #expect(first.waitForExit() == 1, "its unit starts it again, and it waits")
        #expect(first.errors.contains("this one ends"))
      }
      // Nobody else is there: the one that comes next has it once the other has ended.
      let third = try start("a", at: one, waits: true)
      #expect(second.stop() == 0)
      #expect(try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome.isAccepted)
      await client.leave()
      #expect(third.stop() == 0)
    }

    @Test(arguments: [true, false])
    func `a node that waits answers its operator, and is stopped cleanly`(byOperator: Bool) throws {
      let first = try start("a")
      // A port that is known before anyone listens: one that a daemon has had.
      let other = try ChildProcess.daemon()
      let operators = "\(other.address)"
      other.stop()
      let token = "correct-horse-battery"
      let folder = try TemporaryFolder()
      #expect(
        FileManager.default.createFile(
          atPath: folder.path("token"), contents: Data(token.utf8), attributes: [.posixPermissions: 0o600]))
      let second = try start(
        "b", waits: true, ["--admin", operators, "--admin-token-file", folder.path("token")])
      func ask(_ path: String, method: String = "GET") throws -> HTTPClient.Response {
        try HTTPClient(try SocketAddress(parsing: operators)).get(
          path, "Authorization: Bearer \(token)", method: method, host: "localhost")
      }
      #expect(try ask("/healthz").status == 200)
      #expect(try ask("/readyz").status == 503)
      #expect(String(decoding: try ask("/metrics").body, as: UTF8.self).contains("baize_node_waiting 1\n"))
      if byOperator {
        #expect(try ask("/drain", method: "POST").status == 204)
        #expect(second.waitForExit() == 0)
      } else {
        #expect(first.stop() == 0)
        _ = try address(of: second)
        #expect(String(decoding: try ask("/metrics").body, as: UTF8.self).contains("baize_node_waiting 0\n"))
        #expect(try ask("/readyz").status == 200)
        #expect(second.stop() == 0)
      }
    }

    #if OpenSSL
      /// J23: what is revoked is in the journal, and so at the next node.
      @Test(arguments: [SIGKILL, SIGTERM])
      func `a revoked token is refused at the next node, too`(signal: Int32) throws {
        let folder = try TemporaryFolder()
        let signer = try TokenSigner(file: folder.path("secret.json"))
        let secret = "correct-horse-battery"
        #expect(
          FileManager.default.createFile(
            atPath: folder.path("token"), contents: Data(secret.utf8), attributes: [.posixPermissions: 0o600]))
        // Ports that are known before anyone listens: those that daemons have had.
        let others = try [ChildProcess.daemon(), ChildProcess.daemon()]
        let operators = others.map { "\($0.address)" }
        for other in others { other.stop() }
        let nodes = try ["a", "b"].enumerated().map { index, name in
          try start(
            name, waits: index > 0,
            [
              "--token-keys", signer.file, "--token-issuer", "app", "--token-audience", "tables", "--admin",
              operators[index], "--admin-token-file", folder.path("token"),
            ])
        }
        func ask(_ node: Int, _ path: String, method: String = "POST") throws -> HTTPClient.Response {
          try HTTPClient(try SocketAddress(parsing: operators[node])).get(
            path, "Authorization: Bearer \(secret)", method: method, host: "localhost")
        }
        let ann = Hello(table: "t", tableType: "list", signedToken: try signer.token())
        try BlockingClient(nodes[0].address).join(ann)
        #expect(try ask(1, "/revoke?subject=ann").status == 503, "the node waits")
        #expect(try ask(1, "/revocations", method: "GET").status == 503)
        #expect(try ask(0, "/revoke?subject=ann").status == 204)
        #expect(try refusal(of: ann, at: nodes[0].address) == .tokenRefused)
        nodes[0].send(signal)
        let next = try address(of: nodes[1])
        #expect(try refusal(of: ann, at: next) == .tokenRefused)
        try BlockingClient(next).join(Hello(table: "t", signedToken: try signer.token(subject: "bea")))
        let list = String(decoding: try ask(1, "/revocations", method: "GET").body, as: UTF8.self)
        #expect(list.contains(#""subject":"ann""#), "\(list)")
        #expect(try ask(1, "/restore?subject=ann").status == 204)
        try BlockingClient(next).join(ann)
        #expect(nodes[1].stop() == 0)
      }
    #endif

    @Test func `of two daemons of one name the later start has the journal, and the first ends with exit code 3`()
      throws
    {
      let first = try start("a")
      let second = try start("a")
      #expect(first.waitForExit() == 3)
      #expect(second.stop() == 0)
    }

    @Test func `a node without a journal in PostgreSQL is refused`() throws {
      for arguments in [
        ["--node", "a"], ["--node", "a b", "--journal", "postgresql"],
        ["--node", "a", "--journal", "postgresql", "--durability", "relaxed"],
      ] {
        let daemon = try ChildProcess("baized", ["--listen", "127.0.0.1:0"] + arguments, environment: environment)
        #expect(daemon.waitForExit() == 2)
        #expect(daemon.errors.contains("--node"))
      }
    }
  }
#endif
