import BaizeLaboratory
import BaizeTransport
import TestSupport
import Testing

@testable import BaizeDriver

/// The light members that put load on a daemon: their counts, and that they find what is wrong.
@Suite(.hangGuard) struct DriverTests {
  private static let operations = 400

  /// Has two tables of two players and a spectator play.
  ///
  /// - Parameters:
  ///   - joined: Called before the play.
  ///   - played: Called once every operation is answered.
  ///   - settled: Called before the comparison.
  private func play(
    _ source: OperationSource, joined: (Driver) -> Void = { _ in },
    played: (Driver) -> Void = { _ in }, settled: (Driver) -> Void = { _ in }
  ) throws -> Driver {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = LoadOptions()
    (options.tables, options.players, options.spectators) = (2, 2, 1)
    let driver = try Driver(options)
    try driver.join(daemon.address)
    joined(driver)
    _ = driver.takeCounters()
    driver.submit(source, window: 4, count: Self.operations)
    try driver.run(seconds: Double(HangGuard.seconds), for: "the last answer") { driver.isDone }
    played(driver)
    driver.settle()
    settled(driver)
    _ = driver.compare()
    return driver
  }

  @Test(arguments: [OperationSource.choices, .routes])
  func `every operation is answered, and every diff is delivered to the whole table`(source: OperationSource) throws {
    let driver = try play(source)
    let counters = driver.counters
    #expect(
      counters.accepted + counters.refused + counters.unchanged + counters.retried == UInt64(Self.operations))
    #expect(counters.accepted > 0 && counters.deliveries == 3 * counters.accepted)
    #expect(counters.toOwn.count == UInt64(Self.operations) && counters.toLast.count == counters.accepted)
    #expect(driver.faults.isNone, "\(driver.faults)")
  }

  @Test func `an operation without an answer is lost as soon as the daemon answers what came behind it`() throws {
    var pongs = 0
    let driver = try play(
      .choices, played: { $0.members[1].pending += 1 }, settled: { pongs = $0.seats.count(where: \.isAnswered) })
    #expect(pongs == driver.members.count, "no time ends the wait")
    #expect(driver.faults.lost == 1 && driver.faults.diverged == 0, "\(driver.faults)")
  }

  @Test func `a diff that does not arrive is lost`() throws {
    let driver = try play(
      .choices,
      played: { driver in
        driver.settle()
        driver.members[0].revision += 1
      })
    #expect(driver.faults.lost == 2, "the other two of its table: \(driver.faults)")
  }

  @Test func `a revision that comes twice is found`() throws {
    let driver = try play(.choices, joined: { $0.members[1].revision += 1 })
    #expect(driver.faults.doubled == 1 && !driver.faults.isNone, "\(driver.faults)")
  }

  @Test func `a copy that differs is found`() throws {
    let driver = try play(.choices, settled: { $0.tables[0].replica = $0.tables[1].replica })
    #expect(driver.faults.diverged == 1, "\(driver.faults)")
  }

  @Test func `an item that is not where its player has moved it is found`() throws {
    let driver = try play(.routes, settled: { $0.members[1].sequence += 1 })
    #expect(driver.faults.diverged == 1, "\(driver.faults)")
  }
}
