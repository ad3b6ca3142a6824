import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

@testable import BaizeServer

extension ServerTests {
  /// The end of a daemon, on request or by an error.
  @Suite struct Stopping {
    @Test(arguments: SelectorKind.allCases)
    func `a clean stop sends every client the time to reconnect at`(_ kind: SelectorKind) async throws {
      try await withServer({
        $0.selector = kind
        $0.shardCount = 3
        $0.stopNanoseconds = 4 * HangGuard.nanoseconds
      }) { server in
        let unjoined = try BlockingClient(server.address)
        let clients = try (0..<6).map { _ in try BlockingClient(server.address) }
        for (number, client) in clients.enumerated() {
          _ = try client.join(Hello(table: table(on: number % 3, of: 3), tableType: "list"))
        }
        server.beginStop()
        for client in clients + [unjoined] {
          let goodbye = try client.goodbye()
          #expect(goodbye?.reason == .shutdown && goodbye?.isResumable == true)
          #expect(goodbye?.retryAfterMilliseconds == SyncLimits().connections.returnMilliseconds)
          client.close()
        }
        // Nobody has to be waited for: it would take longer than the test may.
        await server.stop()
        #expect(throws: RunFailure.self) { _ = try BlockingClient(server.address) }
        await server.stop()
      }
    }

    @Test func `a stop does not wait for clients that do not read`() async throws {
      try await withServer { server in
        let (client, _) = try server.join("list", "list")
        await server.stop()
        #expect(try client.goodbye()?.reason == .shutdown)
      }
    }

    @Test func `a port in use is an error, and a later start succeeds`() async throws {
      try await withServer { server in
        var configuration = ServerConfiguration()
        configuration.address = server.address
        await #expect(throws: SystemError.self) { try await Server.start(configuration) }
      }
    }
  }
}
