import BaizeDriver
import BaizeLaboratory
import BaizeTransport

/// The memory of a daemon: what it has allocated, and what it charges to clients, by its metrics.
struct DaemonMemory {
  let allocated: Int
  /// What clients make the daemon keep, such as sessions and tables: bounded by `--memory-max`.
  let charged: Int

  /// The allocated memory that is not charged to clients, which must not grow.
  var uncharged: Int { allocated - charged }
}

/// Reads a daemon's metrics at its operator's address.
struct DaemonMetrics {
  /// The variable of the daemon's environment that has the token, and the token.
  static let environment = ("BAIZE_ADMIN_TOKEN", "hostile-client-operator")

  private let daemon: ChildProcess
  let address: SocketAddress

  private static let answerBytesMax = 1 << 20
  private static let secondsMax = 20

  /// - Throws: ``RunFailure`` if the daemon has no operator's address.
  init(_ daemon: ChildProcess) throws {
    guard let text = daemon.rest(ofLine: "baized serves the operator at http://") else {
      throw RunFailure("the daemon has no operator's address")
    }
    self.daemon = daemon
    address = try SocketAddress(parsing: String(text.dropLast()))
  }

  /// Reads the memory. What is charged is as it was at the daemon's last sweep.
  func memory() throws -> DaemonMemory {
    let charges = try lines(of: "baize_memory_bytes{")
    guard !charges.isEmpty else { throw RunFailure("the daemon's metrics do not say what holds its memory") }
    let charged = charges.reduce(0.0) { $0 + (Double($1.split(separator: " ").last ?? "") ?? 0) }
    return DaemonMemory(allocated: daemon.usage.anonymousBytes ?? 0, charged: Int(charged))
  }

  /// Reads the value of a metric, by its name and all labels that it has.
  func value(_ name: String) throws -> Double {
    guard let line = try lines(of: name + " ").first, let value = Double(line.split(separator: " ").last ?? "") else {
      throw RunFailure("the daemon has no metric \(name)")
    }
    return value
  }

  /// Reads how many turns took at most so long, of all that there were, by ascending limits in seconds.
  func turns() throws -> [(limit: Double, count: Double)] {
    try lines(of: "baize_turn_seconds_bucket{le=\"").map { line in
      let parts = line.split(whereSeparator: { $0 == "\"" || $0 == " " })
      return (Double(parts[1]) ?? .infinity, Double(parts.last ?? "") ?? 0)
    }
  }

  private func lines(of beginning: String) throws -> [Substring] {
    let lines = [
      "GET /metrics HTTP/1.1", "Host: \(address)", "Authorization: Bearer \(Self.environment.1)", "Connection: close",
    ]
    let answer = try BlockingExchange.run(
      Array((lines + ["", ""]).joined(separator: "\r\n").utf8), with: address, bytesMax: Self.answerBytesMax,
      seconds: Self.secondsMax)
    // A response has lines of its own, which end with a carriage return.
    return String(decoding: answer, as: UTF8.self).split { $0 == "\n" || $0 == "\r\n" }.filter {
      $0.hasPrefix(beginning)
    }
  }
}
