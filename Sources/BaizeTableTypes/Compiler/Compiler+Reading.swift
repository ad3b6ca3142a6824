import BaizeTable

// The basic readers. Each reports mistakes in its node and then returns `nil`.
extension Compiler {
  mutating func report(_ kind: Mistake.Kind, _ message: String, at node: Node, position: TextPosition? = nil) {
    guard mistakes.count < DocumentLimits.mistakesMax else { return }
    mistakes.append(Mistake(kind, message, path: node.path, position: position ?? node.json.position))
  }

  mutating func reportType(_ expected: String, at node: Node) {
    report(.form, "expected \(expected), found \(node.json.kindDescription)", at: node)
  }

  /// Returns a suggestion for an unknown word. After many mistakes it is omitted, since the search takes time.
  func hint(for word: String, among known: some Sequence<String>) -> String {
    mistakes.count < DocumentLimits.hintsMax ? Suggestion(for: word, among: known).description : ""
  }

  // MARK: Objects and lists

  /// Reads an object with all `required` keys and no others but the `optional` ones.
  mutating func object(_ node: Node, required: [String], optional: [String] = []) -> Node? {
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
  mutating func object(
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
  mutating func namedMembers(
    _ node: Node, where isName: (String) -> Bool = Name.isPlain
  ) -> [(name: String, node: Node)] {
    guard case .object(let members) = node.json.content else {
      reportType("an object", at: node)
      return []
    }
    return members.compactMap { member in
      let key = bound(member.key)
      if isName(key) { return (key, node.child(member)) }
      report(
        .form, "\(member.key.quoted) is not a name: letters, digits, '-' and '_', starting with a letter", at: node,
        position: member.keyPosition)
      return nil
    }
  }

  /// Reads the elements of a list within the permitted number.
  mutating func list(_ node: Node, countMin: Int = 0, countMax: Int = .max) -> [Node] {
    guard case .array(let elements) = node.json.content else {
      reportType("a list", at: node)
      return []
    }
    if elements.count < countMin || elements.count > countMax {
      let bound = elements.count < countMin ? "\(countMin)" : "\(countMax)"
      let sense = countMin == countMax ? "" : elements.count < countMin ? "at least " : "at most "
      report(.form, "expected a list of \(sense)\(bound), found \(elements.count)", at: node)
    }
    return elements.prefix(countMax).enumerated().map { Node(json: $1, path: node.path.appending(.index($0))) }
  }

  // MARK: Simple values

  mutating func text(_ node: Node) -> String? {
    if case .text(let text) = node.json.content { return text }
    reportType("a text", at: node)
    return nil
  }

  /// Reads a text that satisfies a condition. `{seat}` in it is replaced by the present seat.
  mutating func text(_ node: Node, _ problem: String, where isRight: (String) -> Bool) -> String? {
    guard let text = text(node).map(bound) else { return nil }
    if isRight(text) { return text }
    report(.form, "\(text.quoted) is \(problem)", at: node)
    return nil
  }

  mutating func plainName(_ node: Node) -> String? {
    text(node, "not a name: letters, digits, '-' and '_', starting with a letter", where: Name.isPlain)
  }

  mutating func readReason(_ node: Node) -> Reason? {
    text(node, "not a reason: capital letters, digits and '_', such as RANK_MISMATCH", where: Name.isReason)
      .map(Reason.init(rawValue:))
  }

  mutating func sentence(_ node: Node) -> String? {
    text(node, "longer than \(DocumentLimits.sentenceLengthMax) characters") {
      $0.unicodeScalars.count <= DocumentLimits.sentenceLengthMax
    }
  }

  mutating func boolean(_ node: Node?, default fallback: Bool) -> Bool {
    guard let node else { return fallback }
    if case .boolean(let value) = node.json.content { return value }
    reportType("true or false", at: node)
    return fallback
  }

  mutating func integer(
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

  /// Reads a number or a text.
  mutating func readValue(_ node: Node) -> AttributeValue? {
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

  /// Reads one of several words.
  mutating func word<Value>(_ node: Node, _ words: KeyValuePairs<String, Value>) -> Value? {
    guard let text = text(node) else { return nil }
    if let word = words.first(where: { $0.key == text }) { return word.value }
    let known = words.map(\.key.quoted).joined(separator: ", ")
    report(.form, "expected \(words.count == 1 ? known : "one of \(known)"), found \(text.quoted)", at: node)
    return nil
  }
}
