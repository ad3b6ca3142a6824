import BaizeTable

extension NameReader {
  /// Reads the options and determines their values in this run.
  func readOptions(_ node: Node) {
    guard !hasOptions else { return }
    let members = namedMembers(node)
    if members.count > DocumentLimits.optionsMax {
      report(.form, "\(members.count) options; \(DocumentLimits.optionsMax) are allowed", at: node)
    }
    for (name, node) in members.prefix(DocumentLimits.optionsMax) {
      guard let option = readOption(node, name: name) else { continue }
      options.append(option)
      chosen[name] = choices[name] ?? option.defaultValue
    }
  }

  private func readOption(_ node: Node, name: String) -> OptionDeclaration? {
    guard let type = node["type"] else {
      _ = object(node, required: ["type", "default"], optional: ["min", "max", "values", "olderTables"])
      return nil
    }
    switch word(type, ["integer": 0, "choice": 1, "boolean": 2]) {
    case 0: return readIntegerOption(node, name: name)
    case 1: return readChoiceOption(node, name: name)
    case 2: return readBooleanOption(node, name: name)
    default: return nil
    }
  }

  private func readIntegerOption(_ node: Node, name: String) -> OptionDeclaration? {
    guard let fields = object(node, required: ["type", "min", "max", "default"], optional: ["olderTables"]) else {
      return nil
    }
    let least = fields["min"].flatMap { integer($0) }
    let most = fields["max"].flatMap { integer($0) }
    let fallback = fields["default"].flatMap { integer($0) }
    guard let least, let most, let fallback, let defaultNode = fields["default"] else { return nil }
    guard least <= most else {
      report(.meaning, "'min' is greater than 'max'", at: node)
      return nil
    }
    if !(least...most).contains(fallback) {
      report(.meaning, "the default is not from \(least) to \(most)", at: defaultNode)
    }
    let older = fields["olderTables"].flatMap { integer($0) }
    if let older, let node = fields["olderTables"], !(least...most).contains(older) {
      report(.meaning, "the value for older tables is not from \(least) to \(most)", at: node)
    }
    return OptionDeclaration(
      name: name, domain: .integer(least...most), defaultValue: .number(fallback),
      olderValue: older.map(AttributeValue.number))
  }

  private func readChoiceOption(_ node: Node, name: String) -> OptionDeclaration? {
    guard let fields = object(node, required: ["type", "values", "default"], optional: ["olderTables"]) else {
      return nil
    }
    var values: [AttributeValue] = []
    var texts: Set<String> = []
    for node in fields["values"].map({ list($0, countMin: 1, countMax: DocumentLimits.choicesMax) }) ?? [] {
      guard let value = choice(node) else { continue }
      if texts.insert(value.text).inserted {
        values.append(value)
      } else {
        report(.meaning, "\(value.text.quoted) is listed twice", at: node)
      }
    }
    let older = fields["olderTables"].flatMap { choice($0) }
    guard let defaultNode = fields["default"], let fallback = choice(defaultNode), !values.isEmpty else { return nil }
    if !values.contains(fallback) {
      report(.meaning, "the default \(fallback.text.quoted) is not one of the values", at: defaultNode)
    }
    if let older, let node = fields["olderTables"], !values.contains(older) {
      report(.meaning, "the value for older tables \(older.text.quoted) is not one of the values", at: node)
    }
    return OptionDeclaration(name: name, domain: .choice(values), defaultValue: fallback, olderValue: older)
  }

  /// Reads a number or a text that can follow an option's `=`.
  private func choice(_ node: Node) -> AttributeValue? {
    guard case .text = node.json.content else { return readValue(node) }
    return text(node, "not a choice: letters, digits, '-', '_' and '.'", where: Name.isMember).map(AttributeValue.text)
  }

  private func readBooleanOption(_ node: Node, name: String) -> OptionDeclaration? {
    guard let fields = object(node, required: ["type", "default"], optional: ["olderTables"]) else { return nil }
    let fallback = boolean(fields["default"], default: false)
    let older = fields["olderTables"].map { boolean($0, default: fallback) }
    return OptionDeclaration(
      name: name, domain: .boolean, defaultValue: .text(fallback ? "true" : "false"),
      olderValue: older.map { .text($0 ? "true" : "false") })
  }

  // MARK: Use

  func readOptionName(_ node: Node) -> OptionDeclaration? {
    guard let name = plainName(node) else { return nil }
    if let option = options.first(where: { $0.name == name }) { return option }
    report(.meaning, "unknown option \(name.quoted)\(hint(for: name, among: options.map(\.name)))", at: node)
    return nil
  }

  func optionValue(_ node: Node) -> AttributeValue? {
    guard let option = readOptionName(node) else { return nil }
    guard option.domain != .boolean else {
      report(.meaning, "the option '\(option.name)' is true or false: it can only be used in an 'if'", at: node)
      return nil
    }
    uses[option.name, default: OptionUses()].isRead = true
    return chosen[option.name]
  }

  /// Reads a whole number, written out or as `{"option": name}`.
  func constant(_ node: Node, in range: ClosedRange<Int64>) -> Int64? {
    guard case .object = node.json.content else { return integer(node, in: range) }
    guard let fields = object(node, required: ["option"]), let named = fields["option"] else { return nil }
    guard let value = optionValue(named) else { return nil }
    guard case .number(let number) = value, range.contains(number) else {
      let message = "the option is \(value.text) here; expected a whole number from \(range.lowerBound) to "
      report(.meaning, message + "\(range.upperBound)", at: node)
      return nil
    }
    return number
  }

  /// Returns whether the `if` of a part is satisfied: there is none, or its option has the given value.
  func readGuard(_ node: Node?) -> Bool {
    let forms = ["is": ["option"], "isNot": ["option"]]
    guard let node, let (form, fields) = object(node, oneOf: ["is", "isNot"], with: forms) else { return true }
    let option = fields["option"].flatMap { readOptionName($0) }
    let value = fields[form].flatMap { optionChoice($0) }
    guard let option, let value, let valueNode = fields[form] else { return true }
    guard option.allows(value), (option.domain == .boolean) == valueNode.isBoolean else {
      report(.meaning, "the option '\(option.name)' is never \(value.text.quoted)", at: valueNode)
      return true
    }
    uses[option.name, default: OptionUses()].compared.insert(value)
    return (chosen[option.name] == value) == (form == "is")
  }

  private func optionChoice(_ node: Node) -> AttributeValue? {
    node.isBoolean ? .text(boolean(node, default: true) ? "true" : "false") : readValue(node)
  }
}

/// What a document uses of an option.
struct OptionUses {
  /// Whether its value is read, so that each may lead to something else.
  var isRead = false
  /// The values that it is compared with in an `if`. All others lead to the same.
  var compared: Set<AttributeValue> = []
}
