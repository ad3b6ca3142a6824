import Foundation

/// `Protocol/vectors/states.json`.
struct StateVectors: Codable {
  var description: String
  var cases: [Case]

  struct Case: Codable, Sendable {
    var id: String
    var says: String
    /// The table type with options, where the case is of a bundled one.
    var type: String?
    /// The viewer's, where that counts; 0 for a spectator.
    var seat: UInt32?
    var steps: [Step]
  }

  struct Step: Codable, Sendable, Equatable {
    var says: String
    /// `ServerMessage`s, without their lengths, in hexadecimal.
    var messages: [String]
    var revision: UInt64
    /// Ids, in handle order.
    var collections: [[UInt64]]
    var status: String
    /// The view hash, in hexadecimal.
    var hash: String
  }

  static let path = "Protocol/vectors/states.json"
  static let head = """
    States and what changes them (vectors.md, X2). Each case is one client's view of a table. `messages` of a step are \
    ServerMessages in hexadecimal, without their lengths: the parts of a snapshot, or one diff. After them the view is at \
    `revision`, has the `status`, its `collections` (in handle order) hold these items in this order, and the view hash \
    (rules V1 to V9) is `hash`, in hexadecimal. `type` names the bundled table type, with options, that the table is of, \
    `seat` whose view it is (0: a spectator's) where not all see the same.
    """

  /// The text of the file, with a step on each line.
  func text() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func json(_ value: some Encodable) throws -> String { String(decoding: try encoder.encode(value), as: UTF8.self) }
    let cases = try cases.map { vector in
      var head = vector
      head.steps = []
      let steps = try vector.steps.map(json).joined(separator: ",\n")
      return try json(head).replacing("\"steps\":[]", with: "\"steps\":[\n\(steps)\n]")
    }
    return "{\"description\":\(try json(description)),\n\"cases\":[\n\(cases.joined(separator: ",\n"))\n]}\n"
  }
}
