import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import TestSupport
import Testing

@testable import BaizeSync

/// A day of a client with a store, killed behind each of its effects in turn, and at pairs of them: each operation that the
/// store knows has its effect once, and one that it does not know has none.
@Suite struct KillPointTests {
  /// The faults of one run, in words; empty if there are none.
  private func play(
    killedAfter first: Int, again second: Int = .max, _ fault: KeptClient.Fault? = nil
  ) throws -> (
    faults: [String], kills: Int
  ) {
    let client = KeptClient(Daemon())
    let other = Peer(client.daemon, type: "")
    client.fault = fault
    client.effectsUntilKill = first
    var next = second
    var number = 100
    func step(_ body: () -> Void) throws {
      body()
      while client.wasKilled {
        let effects = next
        next = .max
        try client.relaunch(killedAfter: effects)
      }
    }
    func burst() {
      client.insert(number + 1)
      client.insert(number + 2, before: number + 1)
      client.insert(number + 3, before: number + 2)
      number += 3
    }
    try step(burst)
    try step { client.receive() }
    try step { burst() }
    client.daemon.endTurn()
    try step { client.lose() }
    try step(burst)
    try step { client.settle() }
    other.exchange()
    other.ask(other.move(1))
    try step(burst)
    client.daemon.restart()
    try step { client.lose(tellsDaemon: false) }
    try step(burst)
    try step { client.settle() }
    try step(burst)
    try step { client.settle() }
    client.effectsUntilKill = .max
    client.settle()
    return (faults(of: client, numbers: 101...number), client.kills)
  }

  private func faults(of client: KeptClient, numbers: ClosedRange<Int>) -> [String] {
    var faults: [String] = []
    if !client.isConverged { faults.append("not converged") }
    if client.sessions.count > 1 || client.seats.count > 1 { faults.append("another session or seat") }
    if client.sentUnstored > 0 { faults.append("\(client.sentUnstored) sent before they were stored") }
    for number in numbers {
      let count = client.truth.count { $0 == number }
      let status = client.status(number)
      if status == nil, count == 0 { continue }
      if status?.isAccepted != true || count != 1 {
        faults.append("\(number) is \(status.map { "\($0)" } ?? "not known") and is there \(count) times")
      }
      if client.answers(to: KeptClient.id(number)).contains(.unknown) { faults.append("\(number) became unknown") }
    }
    return faults
  }

  @Test func `I3, I10: killed behind any effect, nothing is lost or doubled, and the seat is kept`() throws {
    var point = 1
    while true {
      let (faults, kills) = try play(killedAfter: point)
      #expect(faults.isEmpty, "killed after effect \(point)")
      if kills == 0 { break }
      point += 1
    }
    #expect(point > 40, "only \(point) effects")
  }

  @Test func `I3, I10: killed twice`() throws {
    for first in stride(from: 1, to: 60, by: LongForm.count(7, long: 3)) {
      for second in stride(from: 1, to: 40, by: LongForm.count(5, long: 4)) {
        let faults = try play(killedAfter: first, again: second).faults
        #expect(faults.isEmpty, "killed after effect \(first) and \(second) effects later")
      }
    }
  }

  @Test(arguments: KeptClient.Fault.allCases)
  func `the check finds a store that is written too late, or forgets`(fault: KeptClient.Fault) throws {
    var found = 0
    for point in 1...60 {
      let faults = (try? play(killedAfter: point, fault).faults) ?? []
      // What the test sees in the tables, apart from its own look at the store.
      if faults.contains(where: { !$0.contains("before they were stored") && !$0.contains("session") }) { found += 1 }
    }
    #expect(found > 0)
  }
}
