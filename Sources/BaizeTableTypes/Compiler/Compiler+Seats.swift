import BaizeTable

/// `{seat}` in a name stands for a seat's number: that of the seat that acts, or of each seat in turn.
extension Compiler {
  static let seatMark = "{seat}"

  /// The text with the number of the seat that is read for.
  func bound(_ text: String) -> String {
    guard let seat, text.contains(Self.seatMark) else { return text }
    return text.replacing(Self.seatMark, with: String(seat))
  }

  /// What is read of `node` for each seat, that of seat 1 first; `nil` at the first seat for which it cannot be read.
  mutating func forEachSeat<Value>(_ node: Node, _ read: (inout Compiler) -> Value?) -> [Value]? {
    valuesOfSeats += seats.upperBound * node.json.valueCount
    guard valuesOfSeats <= DocumentLimits.valuesOfSeatsMax else {
      report(.meaning, "with this there is too much to be read anew for each of \(seats.upperBound) seats", at: node)
      return nil
    }
    defer { seat = nil }
    var values: [Value] = []
    for number in 1...seats.upperBound {
      seat = number
      guard let value = read(&self) else { return nil }
      values.append(value)
    }
    return values
  }

  /// Whether `node` names what is the own of whoever acts.
  func namesActor(_ node: Node) -> Bool { seat == nil && node.json.names(Self.seatMark) }

  /// Reports what only a table has on which turns are taken.
  mutating func requireTurns(_ node: Node) {
    if turns != .turns { report(.meaning, "there are no turns to pass: \"turns\": \"turns\"", at: node) }
  }
}

extension JSON {
  /// How many values stand in it, itself included.
  fileprivate var valueCount: Int {
    switch content {
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
    case .null, .boolean, .integer, .number, .text: 1
    }
  }

  /// Whether a text in it contains `mark`.
  fileprivate func names(_ mark: String) -> Bool {
    switch content {
    case .text(let text): text.contains(mark)
    case .array(let elements): elements.contains { $0.names(mark) }
    case .object(let members): members.contains { $0.key.contains(mark) || $0.value.names(mark) }
    case .null, .boolean, .integer, .number: false
    }
  }
}
