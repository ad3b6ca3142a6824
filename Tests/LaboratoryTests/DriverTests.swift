import BaizeLaboratory
import BaizeTransport
import Testing

@testable import BaizeDriver

/// The light members that put load on a daemon: their counts, and that they find what is wrong.
@Suite struct DriverTests {
  private static let operations = 400

  /// Has two tables of two players and a spectator play.
  ///
  /// - Parameters:
  ///   - joined: Called before the play.
  ///   - settled: Called before the comparison.
  private func play(
    _ source: OperationSource, type: String = "grid", joined: (Driver) throws -> Void = { _ in },
    settled: (Driver) -> Void = { _ in }
  ) throws -> Driver {
    let daemon = try ChildProcess.daemon(shards: 1)
    defer { daemon.stop() }
    var options = LoadOptions()
    (options.tableType, options.tables, options.players, options.spectators) = (type, 2, 2, 1)
    let driver = try Driver(options)
    try driver.join(daemon.address)
    try joined(driver)
    _ = driver.takeCounters()
    driver.submit(source, window: 4, count: Self.operations)
    try driver.run(seconds: Double(HangGuard.seconds), for: "the last answer") { driver.isDone }
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

  @Test func `tables are filled by their players in turn`() throws {
    let driver = try play(
      .choices, type: "list?items=9",
      joined: { driver in
        // Without what the members received while others joined.
        _ = driver.takeCounters()
        try driver.fill(texts: 5)
        #expect(driver.counters.accepted == 2 * 5 && driver.counters.deliveries == 3 * 2 * 5)
        #expect(driver.counters.bytes > UInt64(3 * 2 * 5 * OperationSource.textBytes))
        #expect(driver.members.map(\.sequence) == [3, 2, 0, 3, 2, 0])
      })
    #expect(driver.faults.isNone, "\(driver.faults)")
  }

  @Test func `a type that takes no texts is reported, and not filled for ever`() throws {
    let failure = #expect(throws: RunFailure.self) { _ = try play(.choices, joined: { try $0.fill(texts: 5) }) }
    #expect(failure?.description == "the tables' type takes no texts")
  }

  @Test func `a missing revision is found`() throws {
    let driver = try play(.choices, joined: { $0.members[1].revision += 1 })
    #expect(driver.faults.gaps == 1 && !driver.faults.isNone, "\(driver.faults)")
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
