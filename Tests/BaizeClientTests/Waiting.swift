import BaizeClient
import BaizeDriver
import BaizeLaboratory
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Testing

/// The maximum time a test waits for a condition.
let timeLimit = Duration.seconds(HangGuard.seconds)

/// Polls until a condition holds.
///
/// - Returns: whether it held in time.
func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () throws -> Bool
) async rethrows -> Bool {
  let end = ContinuousClock.now + timeLimit
  while try !condition() {
    if ContinuousClock.now >= end { return false }
    do { try await Task.sleep(for: .milliseconds(2)) } catch { return false }
  }
  return true
}

extension TestDaemon {
  /// Starts a daemon at the address of a stopped one. Retries while another test's outgoing connection uses the port.
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
    configuration.waitForSlowMachines()
    return try await TableClient.join(.tcp(address), configuration, on: loop, timeout: timeLimit)
  }
}

extension TableClient {
  /// Returns the number attribute of each item of a collection.
  func numbers(in collection: String = "items") -> [Int64] {
    items(in: collection).map { item in
      if case .number(let number) = item.face["number"] { number } else { -1 }
    }
  }

  /// Waits until every operation is acknowledged and the client has received a revision.
  func reaches(_ revision: Revision) async -> Bool {
    await eventually { self.revision >= revision && pendingCount == 0 }
  }
}

extension Answer {
  var isAccepted: Bool { diff != nil }
  var diff: Diff? { if case .accepted(let diff) = self { diff } else { nil } }
  var refusal: Refusal? { if case .refused(let refusal) = self { refusal } else { nil } }
}
