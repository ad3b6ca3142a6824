import BaizeTable

extension Compiler {
  mutating func readGroups(_ node: Node) {
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

  mutating func readVariables(_ node: Node) {
    let members = namedMembers(node)
    if members.count > DocumentLimits.variablesMax {
      report(.form, "\(members.count) variables; \(DocumentLimits.variablesMax) are allowed", at: node)
    }
    for (name, node) in members.prefix(DocumentLimits.variablesMax) {
      guard let value = variableValue(node) else { continue }
      variables.append(Attribute(name: name, value: value))
    }
  }

  /// A number, a text or `{"option": name}`.
  private mutating func variableValue(_ node: Node) -> AttributeValue? {
    guard case .object = node.json.content else { return readValue(node) }
    return object(node, required: ["option"])?["option"].flatMap { optionValue($0) }
  }
}
