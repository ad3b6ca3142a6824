import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

/// How long any test waits for what must happen.
let patience = Duration.seconds(30)

/// Looks again and again until the condition holds.
///
/// - Returns: whether it did in time.
func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async rethrows -> Bool {
  let end = ContinuousClock.now + patience
  while try !condition() {
    if ContinuousClock.now >= end { return false }
    do { try await Task.sleep(for: .milliseconds(2)) } catch { return false }
  }
  return true
}

extension TestDaemon {
  /// A daemon at the address of one that has stopped. Meanwhile a connection of any other test may go out from there.
  static func taking(_ address: SocketAddress) async throws -> TestDaemon {
    var daemon: TestDaemon?
    let isUp = await eventually {
      daemon = try? TestDaemon(port: address.port)
      return daemon != nil
    }
    try #require(isUp, "\(address) does not become free")
    return try #require(daemon)
  }

  func join(
    _ table: String, as type: String = "", name: String = "", role: Role = .player,
    invite: String = "", seed: UInt64 = 0, on loop: ClientLoop? = nil
  ) async throws -> TableClient {
    var configuration = ClientConfiguration(
      table: table, tableType: type, name: name, role: role, invite: invite, seed: seed)
    configuration.backoffMilliseconds = 10
    return try await TableClient.join(.tcp(address), configuration, on: loop, patience: patience)
  }
}

extension TableClient {
  /// The number on each item of a collection.
  func numbers(in collection: String = "items") -> [Int64] {
    items(in: collection).map { item in
      if case .number(let number) = item.face["number"] { number } else { -1 }
    }
  }

  /// Waits until everything is answered and the daemon's revision is here.
  func reaches(_ revision: Revision) async -> Bool {
    await eventually { self.revision >= revision && unansweredCount == 0 }
  }
}
