import BaizeLaboratory
import BaizeTransport
import Foundation
import TestSupport
import Testing

@testable import BaizeDriver

/// The plan of an open loop, and the times that are measured from it.
@Suite(.hangGuard) struct PlanTests {
  @Test func `a plan gives out all of its turns, each once and none before its time, whenever it is asked`() {
    var pace = Pace(perSecond: 300, from: 1_000, to: 1_000 + 1_000_000_000)
    var turns: [UInt64] = []
    for now in [0, 999, 1_000, 400_000_000, 400_000_000, 5_000_000_000] as [UInt64] {
      while let due = pace.takeDue(at: now) {
        #expect(due.time <= now && due.time == pace.time(of: due.turn))
        turns.append(due.turn)
      }
    }
    #expect(turns == Array(0..<300))
    #expect(pace.nextDue == nil)
  }

  /// Four players have one operation each in flight while the daemon does nothing for a second; the plan goes on.
  @Test func `a daemon that stalls is seen in the response times and not in the service times`() throws {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = LoadOptions()
    (options.tables, options.players, options.rate) = (2, 2, 200)
    let driver = try Driver(options)
    try driver.join(daemon.address)
    _ = driver.takeCounters()
    driver.submit(.choices, window: 1, rate: options.rate, for: 1.6, isPunctual: true)
    try driver.run(seconds: 0.3)
    daemon.send(SIGSTOP)
    try driver.run(seconds: 1)
    daemon.send(SIGCONT)
    try driver.run(seconds: 0.4)
    driver.endPlan()
    driver.settle()
    let counters = driver.takeCounters()
    #expect(counters.planned == 320 && counters.sent + counters.unsent + counters.passed == 320)
    func share(_ times: Histogram) -> Double {
      let long = times.occupied.filter { $0.upperBound > 500_000_000 }.reduce(0) { $0 + $1.count }
      return Double(long) / Double(max(1, times.count))
    }
    // Half of the second is more than half a second before its end: 100 of 320 operations, of which 4 were sent.
    #expect(share(counters.response) > 0.25 && share(counters.toLast) > 0.25)
    #expect(share(counters.toOwn) < 0.1)
    #expect(driver.compare().isNone, "\(driver.faults)")
  }

  @Test func `what could not be sent counts as unsent, and with its wait until the end`() throws {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = LoadOptions()
    (options.tables, options.players, options.rate) = (1, 2, 100)
    let driver = try Driver(options)
    try driver.join(daemon.address)
    _ = driver.takeCounters()
    daemon.send(SIGSTOP)
    defer { daemon.send(SIGCONT) }
    try daemon.waitUntilStopped()
    driver.submit(.choices, window: 1, rate: options.rate, for: 0.5, isPunctual: true)
    try driver.run(seconds: 0.5)
    driver.endPlan()
    let counters = driver.counters
    #expect(counters.planned == 50 && counters.sent == 2 && counters.unsent == 48)
    #expect(counters.response.count == 48 && counters.response.maximum > 400_000_000)
    daemon.send(SIGCONT)
    driver.settle()
    #expect(driver.counters.judged == 2 && driver.counters.toOwn.count == 2)
  }

  @Test(arguments: DiffDoctor.allCases)
  func `a stream that is wrong is found, and what is wrong with it`(fault: DiffDoctor) throws {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    // The first member has the copy, which has to be wrong; the second only sees revisions.
    let relay = try fault.relay(to: daemon.address, connection: fault == .diverges ? 0 : 1)
    var options = LoadOptions()
    (options.tables, options.players, options.tableType) = (1, 3, "list?items=30")
    (options.address, options.warmUpSeconds, options.seconds) = (relay.address, 0, 0.2)
    options.showsProgress = false
    var result = try LoadSession(options) { _ in }.measure()
    // On a machine that is too slow the diff did not come in that time.
    while result.faults.isNone, options.seconds < 20 {
      options.seconds *= 4
      options.tablePrefix += "-"
      let relay = try fault.relay(to: daemon.address, connection: fault == .diverges ? 0 : 1)
      options.address = relay.address
      result = try LoadSession(options) { _ in }.measure()
    }
    let faults = result.faults
    #expect(
      faults.doubled == (fault == .doubles ? 1 : 0) && faults.reordered == (fault == .reorders ? 1 : 0), "\(faults)")
    #expect((faults.lost > 0) == (fault == .loses) && (faults.diverged > 0) == (fault == .diverges), "\(faults)")
    #expect(!result.text().contains("\nrate") && result.json()["judgedPerSecond"] == nil, "no rate is reported")
  }
}
