/// Counts of what was sent and received.
struct StormCounts {
  private(set) var connections: [String: Int] = [:]
  private(set) var frames: [String: Int] = [:]
  private(set) var answers: [String: Int] = [:]

  var frameCount: Int { frames.values.reduce(0, +) }
  var connectionCount: Int { connections.values.reduce(0, +) }

  mutating func count(_ behavior: String) { connections[behavior, default: 0] += 1 }
  mutating func sent(_ what: String) { frames[what, default: 0] += 1 }
  mutating func received(_ what: String) { answers[what, default: 0] += 1 }

  /// Returns the name of a message: that of its case.
  static func name(of message: Any) -> String { Mirror(reflecting: message).children.first?.label ?? "\(message)" }

  /// A line for everything that was counted.
  var text: String {
    [("connections", Array(connections)), ("frames", Array(frames)), ("answers", Array(answers))].map { title, counts in
      let lines = counts.sorted { ($0.1, $1.0) > ($1.1, $0.0) }.map { "  \($0.1)  \($0.0)" }
      return "\(title): \(counts.reduce(0) { $0 + $1.1 })\n" + lines.joined(separator: "\n")
    }.joined(separator: "\n")
  }
}
