import BaizeTable

/// The basic readers of a document's values. Each reports mistakes in its node and then returns `nil`.
///
/// A mistake does not stop the reading: a part that cannot be read is omitted, so that one run finds all mistakes.
class DocumentReader {
  var mistakes: [Mistake] = []
  /// The permitted numbers of players.
  var seats = 1...1
  /// Whether anything that was read depends on seats.
  var dependsOnSeats = false
  /// The seat that `{seat}` stands for; `nil` if it is the acting seat.
  var seat: Int?
  /// Whether the options exclude the part that is being read. Its form is checked like that of others, but its meaning only with
  /// the options that include it.
  var isExcluded = false
  /// The number of values read once per seat.
  private var seatValueCount = 0
  /// A measure of the work so far: the values that were read, and those that they stand for.
  private(set) var steps = 0

  func count(steps count: Int) { steps += count }

  func report(_ kind: Mistake.Kind, _ message: String, at node: Node, position: TextPosition? = nil) {
    guard mistakes.count < DocumentLimits.mistakesMax, kind == .form || !isExcluded else { return }
    mistakes.append(Mistake(kind, message, path: node.path, position: position ?? node.json.position))
  }

  func reportType(_ expected: String, at node: Node) {
    report(.form, "expected \(expected), found \(node.json.kindDescription)", at: node)
  }

  /// Returns a suggestion for an unknown word. After many mistakes it is omitted, since the search takes time.
  func hint(for word: String, among known: some Sequence<String>) -> String {
    mistakes.count < DocumentLimits.hintsMax ? Suggestion(for: word, among: known).description : ""
  }

  /// Reads a part that the options may exclude.
  func reading<Value>(excluded: Bool, _ read: () -> Value) -> Value {
    let wasExcluded = isExcluded
    isExcluded = isExcluded || excluded
    defer { isExcluded = wasExcluded }
    return read()
  }

  // MARK: Objects and lists

  /// Reads an object with all `required` keys and no others but the `optional` ones.
  func object(_ node: Node, required: [String], optional: [String] = []) -> Node? {
    count(steps: 1 + node.members.count)
    guard case .object(let members) = node.json.content else {
      reportType("an object", at: node)
      return nil
    }
    for member in members where !required.contains(member.key) && !optional.contains(member.key) {
      let hint = hint(for: member.key, among: required + optional)
      report(.form, "unknown key \(member.key.quoted)\(hint)", at: node.child(member), position: member.keyPosition)
    }
    for key in required where node[key] == nil { report(.form, "the key '\(key)' is missing", at: node) }
    return node
  }

  /// Reads an object whose form is given by exactly one of the keys in `forms`; `also` lists the keys that may accompany it.
  func object(
    _ node: Node, oneOf forms: [String], with also: [String: [String]] = [:], optional: [String] = []
  ) -> (form: String, fields: Node)? {
    guard case .object(let members) = node.json.content else {
      reportType("an object", at: node)
      return nil
    }
    guard let form = members.first(where: { forms.contains($0.key) })?.key else {
      let meant = members.first.map { hint(for: $0.key, among: forms) } ?? ""
      let wanted = (forms.count == 1 ? "the key " : "one of the keys ") + forms.map(\.quoted).joined(separator: ", ")
      report(.form, "\(wanted) is missing\(meant)", at: node)
      return nil
    }
    guard let fields = object(node, required: [form] + also[form, default: []], optional: optional) else { return nil }
    return (form, fields)
  }

  /// Reads the members of an object with keys chosen by the author; reports and omits those whose key is not a name.
  func namedMembers(
    _ node: Node, where isName: (String) -> Bool = Name.isPlain
  ) -> [(name: String, node: Node)] {
    guard case .object(let members) = node.json.content else {
      reportType("an object", at: node)
      return []
    }
    count(steps: members.count)
    return members.compactMap { member in
      if isName(member.key) { return (bound(member.key), node.child(member)) }
      report(
        .form, "\(member.key.quoted) is not a name: letters, digits, '-' and '_', starting with a letter", at: node,
        position: member.keyPosition)
      return nil
    }
  }

  /// Reads the elements of a list within the permitted number.
  func list(_ node: Node, countMin: Int = 0, countMax: Int = .max) -> [Node] {
    guard case .array(let elements) = node.json.content else {
      reportType("a list", at: node)
      return []
    }
    count(steps: elements.count)
    if elements.count < countMin || elements.count > countMax {
      let bound = elements.count < countMin ? "\(countMin)" : "\(countMax)"
      let sense = countMin == countMax ? "" : elements.count < countMin ? "at least " : "at most "
      report(.form, "expected a list of \(sense)\(bound), found \(elements.count)", at: node)
    }
    return elements.prefix(countMax).enumerated().map { Node(json: $1, path: node.path.appending(.index($0))) }
  }

  // MARK: Simple values

  func text(_ node: Node) -> String? {
    count(steps: 1)
    if case .text(let text) = node.json.content { return text }
    reportType("a text", at: node)
    return nil
  }

  /// Reads a text that satisfies a condition.
  func text(_ node: Node, _ problem: String, where isRight: (String) -> Bool) -> String? {
    guard let text = text(node) else { return nil }
    if isRight(text) { return text }
    report(.form, "\(text.quoted) is \(problem)", at: node)
    return nil
  }

  func plainName(_ node: Node, where isName: (String) -> Bool = Name.isPlain) -> String? {
    text(node, "not a name: letters, digits, '-' and '_', starting with a letter", where: isName)
  }

  func readReason(_ node: Node) -> Reason? {
    text(node, "not a reason: capital letters, digits and '_', such as RANK_MISMATCH", where: Name.isReason)
      .map(Reason.init(rawValue:))
  }

  func sentence(_ node: Node) -> String? {
    text(node, "longer than \(DocumentLimits.sentenceLengthMax) characters") {
      $0.unicodeScalars.count <= DocumentLimits.sentenceLengthMax
    }
  }

  func boolean(_ node: Node?, default fallback: Bool) -> Bool {
    guard let node else { return fallback }
    if case .boolean(let value) = node.json.content { return value }
    reportType("true or false", at: node)
    return fallback
  }

  func integer(
    _ node: Node, in range: ClosedRange<Int64> = -DocumentLimits.integerMax...DocumentLimits.integerMax
  ) -> Int64? {
    switch node.json.content {
    case .integer(let value) where range.contains(value):
      return value
    case .integer, .number:
      report(.form, "expected a whole number from \(range.lowerBound) to \(range.upperBound)", at: node)
    case .null, .boolean, .text, .array, .object:
      reportType("a whole number", at: node)
    }
    return nil
  }

  func readValue(_ node: Node) -> AttributeValue? {
    switch node.json.content {
    case .text(let text):
      return .text(text)
    case .integer, .number:
      return integer(node).map(AttributeValue.number)
    case .null, .boolean, .array, .object:
      reportType("a number or a text", at: node)
      return nil
    }
  }

  func word<Value>(_ node: Node, _ words: KeyValuePairs<String, Value>) -> Value? {
    guard let text = text(node) else { return nil }
    if let word = words.first(where: { $0.key == text }) { return word.value }
    let known = words.map(\.key.quoted).joined(separator: ", ")
    report(.form, "expected \(words.count == 1 ? known : "one of \(known)"), found \(text.quoted)", at: node)
    return nil
  }
}

// `{seat}` in a name stands for a seat's number: that of the acting seat, or of each seat in turn.
extension DocumentReader {
  static let seatMark = "{seat}"

  /// Reads the name of a collection, a kind or a variable, in whose member `{seat}` stands for the present seat, if there
  /// is one.
  func path(_ node: Node, _ problem: String) -> String? { text(node, problem, where: isPath).map(bound) }

  func isPath(_ text: String) -> Bool { seat == nil ? Name.isPath(text) : Name.isOwnPath(text) }

  /// Returns the text with the number of the present seat in place of `{seat}`.
  func bound(_ text: String) -> String {
    guard let seat, text.contains(Self.seatMark) else { return text }
    return text.replacing(Self.seatMark, with: String(seat))
  }

  /// Reads `node` once for each seat, seat 1 first; `nil` at the first seat for which it cannot be read.
  func forEachSeat<Value>(_ node: Node, _ read: () -> Value?) -> [Value]? {
    dependsOnSeats = true
    seatValueCount += seats.upperBound * node.json.valueCount
    guard seatValueCount <= DocumentLimits.valuesOfSeatsMax else {
      report(.meaning, "this is too large to be repeated for \(seats.upperBound) seats", at: node)
      return nil
    }
    defer { seat = nil }
    var values: [Value] = []
    for number in 1...seats.upperBound {
      seat = number
      guard let value = read() else { return nil }
      values.append(value)
    }
    return values
  }

  /// Returns whether `node` names something that belongs to the acting seat.
  func namesActor(_ node: Node) -> Bool { seat == nil && node.json.names(Self.seatMark) }
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
