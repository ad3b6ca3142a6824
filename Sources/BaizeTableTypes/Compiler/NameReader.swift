import BaizeTable

/// Reads the names that rules refer to: options, groups, variables and collections. They are read before any rule.
class NameReader: DocumentReader {
  /// The options chosen by the table's creator; the others have their defaults.
  let choices: [String: AttributeValue]
  var options: [OptionDeclaration] = []
  /// Whether the options were read in an earlier run.
  let hasOptions: Bool
  /// What the document uses of its options.
  var uses: [String: OptionUses] = [:]
  /// The value of each option in this run.
  var chosen: [String: AttributeValue] = [:]
  var groups: [String: ValueGroup] = [:]
  var variables: [Attribute] = []
  var collectionNames = CollectionNames()
  var turns = TurnPolicy.free

  /// - Parameter options: The document's options, if they were read in an earlier run.
  init(choices: [String: AttributeValue] = [:], options: [OptionDeclaration]? = nil) {
    self.choices = choices
    self.options = options ?? []
    hasOptions = options != nil
    for option in self.options { chosen[option.name] = choices[option.name] ?? option.defaultValue }
  }

  func readGroups(_ node: Node) {
    for (name, node) in namedMembers(node) {
      var groupOfValue: [AttributeValue: String] = [:]
      for (group, node) in namedMembers(node) {
        for node in list(node, countMin: 1) {
          guard let value = readValue(node) else { continue }
          if let other = groupOfValue.updateValue(group, forKey: value) {
            report(.meaning, "\(value.text.quoted) is in '\(other)' already", at: node)
          }
        }
      }
      groups[name] = ValueGroup(name: name, groupOfValue: groupOfValue)
    }
  }

  /// Reads the variables, and adds `turn` if the table has turns.
  func readVariables(_ node: Node?) {
    if turns == .turns { variables.append(Attribute(TableState.turnVariable, 1)) }
    guard let node else { return }
    let members = namedMembers(node) { Name.isPlain($0) || Name.isOfSeats($0) }
    if members.count > DocumentLimits.variablesMax {
      report(.form, "\(members.count) variables; \(DocumentLimits.variablesMax) are allowed", at: node)
    }
    var taken = Set(variables.map(\.name))
    for (name, node) in members.prefix(DocumentLimits.variablesMax) {
      guard let value = readConstant(node) else { continue }
      let names = Name.isOfSeats(name) ? forEachSeat(node) { bound(name) } ?? [] : [name]
      count(steps: names.count)
      if names.contains(where: taken.contains) { report(.meaning, "the name '\(name)' is taken", at: node) }
      taken.formUnion(names)
      variables += names.map { Attribute(name: $0, value: value) }
    }
    if members.count <= DocumentLimits.variablesMax, variables.count > DocumentLimits.variablesMax {
      let message = "\(variables.count) variables, one for each seat; \(DocumentLimits.variablesMax) are allowed"
      report(.meaning, message, at: node)
    }
  }

  /// Reads a number, a text or `{"option": name}`.
  func readConstant(_ node: Node) -> AttributeValue? {
    guard case .object = node.json.content else { return readValue(node) }
    return object(node, required: ["option"])?["option"].flatMap { optionValue($0) }
  }

  /// Reports a rule that requires turns on a table without turns.
  func requireTurns(_ node: Node) {
    if turns != .turns { report(.meaning, "this needs turns: \"turns\": \"turns\"", at: node) }
  }
}
