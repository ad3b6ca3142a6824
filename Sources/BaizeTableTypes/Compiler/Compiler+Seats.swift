import BaizeTable

// `{seat}` in a name stands for a seat's number: that of the acting seat, or of each seat in turn.
extension Compiler {
  static let seatMark = "{seat}"

  /// Returns the text with the number of the present seat in place of `{seat}`.
  func bound(_ text: String) -> String {
    guard let seat, text.contains(Self.seatMark) else { return text }
    return text.replacing(Self.seatMark, with: String(seat))
  }

  /// Reads `node` once for each seat, seat 1 first; `nil` at the first seat for which it cannot be read.
  mutating func forEachSeat<Value>(_ node: Node, _ read: (inout Compiler) -> Value?) -> [Value]? {
    seatValueCount += seats.upperBound * node.json.valueCount
    guard seatValueCount <= DocumentLimits.valuesOfSeatsMax else {
      report(.meaning, "this is too large to be repeated for \(seats.upperBound) seats", at: node)
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

  /// Returns whether `node` names something that belongs to the acting seat.
  func namesActor(_ node: Node) -> Bool { seat == nil && node.json.names(Self.seatMark) }

  /// Reports a rule that requires turns on a table without turns.
  mutating func requireTurns(_ node: Node) {
    if turns != .turns { report(.meaning, "this needs turns: \"turns\": \"turns\"", at: node) }
  }
}

extension JSON {
  /// The number of values in the tree, including its root.
  fileprivate var valueCount: Int {
    switch content {
    case .array(let elements): elements.reduce(1) { $0 + $1.valueCount }
    case .object(let members): members.reduce(1) { $0 + $1.value.valueCount }
    case .null, .boolean, .integer, .number, .text: 1
    }
  }

  /// Returns whether a text in the tree contains `mark`.
  fileprivate func names(_ mark: String) -> Bool {
    switch content {
    case .text(let text): text.contains(mark)
    case .array(let elements): elements.contains { $0.names(mark) }
    case .object(let members): members.contains { $0.key.contains(mark) || $0.value.names(mark) }
    case .null, .boolean, .integer, .number: false
    }
  }
}
