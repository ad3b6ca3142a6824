import BaizeTransport
import Testing

@testable import BaizeServer

/// The order in which connections are received again after a full turn (I11).
@Suite struct PausedConnectionsTests {
  private static func key(_ slot: Int) -> ConnectionKey { ConnectionKey(slot: UInt32(slot), generation: 1) }

  /// Each turn serves the first few that it is presented, and all others have to wait.
  @Test(arguments: [1, 3, 7])
  func `each connection is served before any is served again`(servedPerTurn: Int) {
    let count = 10
    var paused = PausedConnections()
    for slot in 0..<count { paused.append(Self.key(slot), wasServed: false) }
    var served: [UInt32] = []
    for _ in 0..<count {
      var presented: [ConnectionKey] = []
      paused.removeAll { presented.append($0) }
      #expect(presented.count == count && paused.isEmpty)
      for (position, key) in presented.enumerated() {
        if position < servedPerTurn { served.append(key.slot) }
        paused.append(key, wasServed: position < servedPerTurn)
      }
    }
    #expect(served == (0..<count * servedPerTurn).map { UInt32($0 % count) })
  }

  @Test func `what was paused later comes after those that were not served, and before those that were`() {
    var paused = PausedConnections()
    paused.append(Self.key(1), wasServed: true)
    paused.append(Self.key(2), wasServed: false)
    paused.append(Self.key(3), wasServed: false)
    var order: [UInt32] = []
    paused.removeAll { order.append($0.slot) }
    #expect(order == [2, 3, 1])
  }
}
