import BaizeLaboratory
import BaizeServer
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

extension ServerTests {
  /// A daemon that ends, and one that continues from its journal's file.
  @Suite struct Restarting {
    private let directory: TemporaryFolder

    init() throws { directory = try TemporaryFolder() }

    @Test(arguments: [Durability.strict, .relaxed])
    func `tables are restored under a new epoch, and clients continue by themselves`(
      _ durability: Durability
    ) async throws {
      let first = try await startServer(in: directory, durability)
      let player = try BlockingPlayer(first.address, table: "list", type: "list?items=3")
      let other = try BlockingPlayer(first.address, table: "list", name: "other")
      for number in 1...20 { player.insert("\(number)") }
      #expect(try player.run(until: { $0.answers.count == 20 }))
      let session = player.machine.welcome?.session
      first.beginStop()
      #expect(try player.run(until: { !$0.machine.isLive }) && other.run(until: { !$0.machine.isLive }))
      await first.stop()
      player.insert("meanwhile")
      let second = try await startServer(in: directory, durability, at: first.address)
      #expect(try player.run(until: { $0.answers.count == 21 }))
      #expect(try other.run(until: { $0.machine.isLive && $0.items.count == 24 }))
      #expect(player.items.count == 24, "I3: each has its effect once")
      #expect(player.epoch == 2 && player.machine.welcome?.session == session)
      #expect(player.items == other.items)
      #expect(try player.isLevel() && other.isLevel(), "I1")
      await second.stop()
    }

    @Test func `after a stop with pending operations each has its effect once`() async throws {
      var server = try await startServer(in: directory)
      let player = try BlockingPlayer(server.address, table: "list", type: "list?items=3")
      for round in 1...5 {
        for number in 1...40 { player.insert("\(round).\(number)") }
        server.beginStop()
        #expect(try player.run(until: { !$0.machine.isLive }))
        await server.stop()
        server = try await startServer(in: directory, at: server.address)
        #expect(try player.run(until: { $0.machine.isLive && $0.answers.count == 40 * round }), "round \(round)")
        #expect(player.items.count == 3 + 40 * round, "I3 in round \(round)")
      }
      #expect(try player.isLevel(), "I1")
      await server.stop()
    }

    @Test func `a thousand tables do not slow the start, and all their clients reconnect at once`() async throws {
      let first = try await startServer(in: directory, .relaxed)
      let count = 1_000
      let hellos = try (0..<count).map { number in
        let credential = [UInt8](repeating: UInt8(number % 256), count: WireLimits.credentialBytes)
        let (client, joined) = try BlockingClient.joining(
          first.address, Hello(table: "t\(number)", tableType: "list?items=5", credential: credential))
        client.send(joined.move(joined.items[0], number: 1))
        #expect(try client.diff() != nil)
        return Hello(table: "t\(number)", credential: credential)
      }
      await first.stop()
      let second = try await startServer(in: directory, at: first.address)
      #expect(second.statistics.tables == 0 && second.statistics.journal.tablesLoaded == 0, "loaded on demand")
      let clients = try hellos.map { hello in
        let client = try BlockingClient(second.address)
        client.send(.hello(hello))
        return client
      }
      for client in clients {
        let joined = try client.joined()
        #expect(joined.items.count == 5 && joined.welcome.epoch.rawValue == 2)
      }
      #expect(
        try await eventually {
          second.statistics.tables == count && second.statistics.journal.tablesLoaded == count
        })
      await second.stop()
    }

    @Test func `a journal file in use is refused before the daemon listens`() async throws {
      let server = try await startServer(in: directory)
      let error = await #expect(throws: JournalError.self) { _ = try await startServer(in: directory) }
      #expect(error?.kind == .unusable)
      await server.stop()
      await (try startServer(in: directory)).stop()
    }
  }
}
