#if PostgreSQL
  import BaizeClient
  import BaizeDriver
  import BaizeLaboratory
  import BaizeSync
  import BaizeTable
  import BaizeTransport
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

    private func start(_ name: String, at address: String = "127.0.0.1:0", waits: Bool = false) throws -> ChildProcess {
      let daemon = try ChildProcess(
        "baized", ["--listen", address, "--journal", "postgresql", "--node", name],
        marker: waits ? nil : ChildProcess.daemonMarker, environment: environment, keepsEarlySignals: true)
      guard waits else { return daemon }
      try waitUntil(for: "the node to wait", step: { usleep(10_000) }) {
        daemon.errors.contains("waits and listens nowhere")
      }
      return daemon
    }

    /// Waits until a node that has waited listens.
    private func address(of daemon: ChildProcess) throws -> SocketAddress {
      try waitUntil(for: "the node to listen", step: { usleep(10_000) }) {
        daemon.rest(ofLine: ChildProcess.daemonMarker) != nil
      }
      return try SocketAddress(parsing: try #require(daemon.rest(ofLine: ChildProcess.daemonMarker)))
    }

    /// Moves the first item of five to the end.
    ///
    /// - Returns: Whether that was accepted.
    private func moves(_ client: TableClient) async throws -> Bool {
      guard case .accepted(_) = try await client.move(fromOffsets: [0], toOffset: 5, in: "items").outcome else {
        return false
      }
      return true
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
        #expect(try await moves(client))
      }
      first.send(signal)
      for _ in 0..<10 {
        #expect(try await moves(client))
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
      #expect(try await moves(client))
      await client.leave()
      #expect(third.stop() == 0)
    }

    @Test func `a node that waits is stopped cleanly`() throws {
      let first = try start("a")
      let second = try start("b", waits: true)
      #expect(second.stop() == 0)
      #expect(second.output.isEmpty)
      #expect(first.stop() == 0)
    }

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
