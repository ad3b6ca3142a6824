import BaizeHarness
import BaizeTransport

/// Measures the daemon's memory for a connection that has joined and does nothing.
struct IdleMeasure {
  let plan: IdlePlan
  let rounds: Int
  let report: (String) -> Void

  /// The limit, including tables.
  static let bytesPerConnectionMax = 8 << 10
  private static let timeoutSeconds = 120.0
  /// A listener's backlog has room for more.
  private static let connectingMax = 512

  /// - Returns: Whether the mark is reached; and the result for programs.
  func perform() throws -> (isSound: Bool, json: [String: Any]) {
    if let complaint = plan.complaint(descriptors: DescriptorLimit.current) {
      throw RunFailure(complaint)
    }
    let journal = try TemporaryFolder()
    let daemon = try ChildProcess.daemon(journal: journal.path("journal.sqlite"))
    defer { daemon.stop() }
    let empty = try residentBytes(daemon)
    let crowd = try Crowd(count: plan.connections, hello: plan.hello)
    let nanoseconds = try crowd.join(
      daemon.address, connectingMax: Self.connectingMax, seconds: Self.timeoutSeconds)
    report("\(plan.connections) connections at \(plan.tableCount) tables after \(nanoseconds / 1_000_000) ms")
    var full = 0
    for round in 1...rounds {
      let answered = try crowd.ping(seconds: Self.timeoutSeconds)
      // Waits until the work after the pings is done.
      try crowd.run(seconds: 1)
      if let failure = crowd.failure { throw RunFailure(failure) }
      full = try residentBytes(daemon)
      report(
        "round \(round) of \(rounds): all answered after \(answered / 1_000_000) ms, \(full >> 10) KiB resident, "
          + "\(bytesPerConnection(full, empty)) bytes a connection")
    }
    let bytes = bytesPerConnection(full, empty)
    let isSound = bytes <= Self.bytesPerConnectionMax
    report(
      """
      \(plan.connections) idle connections at \(plan.tableCount) tables of type \(plan.tableType)
        resident, none connected      \(empty >> 10) KiB
        resident, all connected    \(full >> 10) KiB
        for each, tables included   \(bytes) bytes, of at most \(Self.bytesPerConnectionMax)
      """)
    if !isSound { report("the limit is exceeded") }
    return (
      isSound,
      [
        "connections": plan.connections, "tables": plan.tableCount, "emptyBytes": empty, "residentBytes": full,
        "bytesPerConnection": bytes,
      ]
    )
  }

  private func bytesPerConnection(_ full: Int, _ empty: Int) -> Int { max(0, full - empty) / plan.connections }

  private func residentBytes(_ daemon: ChildProcess) throws -> Int {
    guard let bytes = daemon.usage.residentBytes else {
      throw RunFailure("this system does not report the memory of a process (/proc/PID/status)")
    }
    return bytes
  }
}
