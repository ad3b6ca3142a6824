import BaizeTable

extension RuleReader {
  private static let termForms = [
    "item", "below", "source", "destination", "variable", "option", "count", "group", "sum", "difference",
    "actor", "counted", "new",
  ]

  func readTerm(_ node: Node) -> Term? {
    switch node.json.content {
    case .integer, .number, .text:
      return readValue(node).map(Term.constant)
    case .object:
      let optional = node["count"] == nil ? [] : ["where"]
      guard let (form, fields) = object(node, oneOf: Self.termForms, with: ["group": ["of"]], optional: optional) else {
        return nil
      }
      return fields[form].flatMap { readTerm(form, $0, fields) }
    case .null, .boolean, .array:
      reportType("a number, a text or an object", at: node)
      return nil
    }
  }

  func readTerm(_ node: Node, in scope: Scope) -> Term? {
    guard let term = readTerm(node) else { return nil }
    return allow(term.needs, at: node, in: scope) ? term : nil
  }

  /// Reports values that cannot be read in `scope`.
  func allow(_ needs: Needs, at node: Node, in scope: Scope, by reader: String = "") -> Bool {
    let missing = needs.subtracting(scope.allows)
    guard !missing.isEmpty else { return true }
    let reader = reader.isEmpty ? "" : reader + " cannot be used here: "
    report(.meaning, "\(reader)\(scope.name) cannot read \(missing.names.joined(separator: ", "))", at: node)
    return false
  }

  private func readTerm(_ form: String, _ node: Node, _ fields: Node) -> Term? {
    if form == "variable" || form == "count", namesActor(node) {
      return forEachSeat(node) { readTerm(form, node, fields) }.map { .bySeat($0) }
    }
    switch form {
    case "item": return plainName(node).map { .attribute(.item, $0) }
    case "below": return plainName(node).map { .attribute(.below, $0) }
    case "counted": return plainName(node).map { .attribute(.counted, $0) }
    case "new": return plainName(node).map { .attribute(.updated, $0) }
    case "source": return collectionAttribute(node).map { .collection(.source, $0) }
    case "destination": return collectionAttribute(node).map { .collection(.destination, $0) }
    case "variable": return readVariable(node).map { .variable($0) }
    case "option": return optionValue(node).map { .constant($0) }
    case "count": return readCount(node, where: fields["where"])
    case "group": return readGroup(node, of: fields["of"])
    case "sum": return readSum(node)
    case "actor": return readActor(node)
    default: return readDifference(node)
    }
  }

  private func collectionAttribute(_ node: Node) -> String? {
    guard let name = plainName(node) else { return nil }
    if collectionNames.hasAttribute(name) { return name }
    report(.meaning, "no collection has the attribute '\(name)'", at: node)
    return nil
  }

  private func readActor(_ node: Node) -> Term? {
    dependsOnSeats = true
    guard word(node, ["seat": true]) != nil else { return nil }
    if let seat { return .constant(.number(Int64(seat))) }
    return forEachSeat(node) { seat.map { .constant(.number(Int64($0))) } }.map { .bySeat($0) }
  }

  func readVariable(_ node: Node) -> String? {
    guard let name = path(node, "not the name of a variable") else { return nil }
    if variables.contains(where: { $0.name == name }) { return name }
    let hint = hint(for: name, among: variables.map(\.name))
    report(.meaning, "unknown variable \(name.quoted)\(hint)", at: node)
    return nil
  }

  private func readCount(_ node: Node, where condition: Node?) -> Term? {
    let countable = readCountable(node)
    if countable == .seats { dependsOnSeats = true }
    guard let condition else { return countable.map { .count($0) } }
    guard !isInCount else {
      report(.meaning, "'where' cannot be nested in 'where'", at: condition)
      return nil
    }
    isInCount = true
    defer { isInCount = false }
    let predicate = readPredicate(condition)
    guard let countable, let predicate else { return nil }
    guard mayRead(countable, at: node) else { return nil }
    return .countWhere(countable, predicate)
  }

  /// Reports a count with a condition on what has no faces, or on faces that the rule may not read.
  private func mayRead(_ countable: Term.Countable, at node: Node) -> Bool {
    switch countable {
    case .seats:
      report(.meaning, "seats have no attributes to count them by", at: node)
      return false
    case .collections(let handles):
      guard !isInCondition, let hidden = handles.first(where: { !collectionNames.isOpen($0) }) else { return true }
      let name = collectionNames[hidden].id
      report(.meaning, "the faces in '\(name)' may be hidden: only conditions can count by them", at: node)
      return false
    case .sources, .source, .destination:
      guard !isInCondition else { return true }
      report(.meaning, "only conditions can count these by their faces", at: node)
      return false
    }
  }

  /// Reads `"sources"`, `"source"`, `"destination"`, or `{"of": …}` with one or more names.
  private func readCountable(_ node: Node) -> Term.Countable? {
    guard case .object = node.json.content else {
      return word(node, ["sources": .sources, "source": .source, "destination": .destination, "seats": .seats])
    }
    guard let of = object(node, required: ["of"])?["of"] else { return nil }
    guard case .array = of.json.content else { return readCollections(of).map(Term.Countable.collections) }
    var handles: [CollectionHandle] = []
    for node in list(of, countMin: 1) {
      guard let named = readCollections(node) else { continue }
      if let twice = named.first(where: handles.contains) {
        report(.meaning, "'\(collectionNames[twice].id)' is counted twice", at: node)
      } else {
        handles += named
      }
    }
    return .collections(handles)
  }

  private func readGroup(_ node: Node, of: Node?) -> Term? {
    let name = plainName(node)
    let term = of.flatMap { readTerm($0) }
    guard let name else { return nil }
    guard let group = groups[name] else {
      report(.meaning, "unknown group \(name.quoted)\(hint(for: name, among: groups.keys))", at: node)
      return nil
    }
    return term.map { .group(group, $0) }
  }

  private func readSum(_ node: Node) -> Term? {
    let nodes = list(node, countMin: 1)
    let terms = nodes.compactMap { number($0) }
    return terms.count == nodes.count ? .sum(terms) : nil
  }

  private func readDifference(_ node: Node) -> Term? {
    let terms = list(node, countMin: 2, countMax: 2).compactMap { number($0) }
    return terms.count == 2 ? .difference(terms[0], terms[1]) : nil
  }

  /// Reads a term that may have a numeric value.
  func number(_ node: Node) -> Term? {
    guard let term = readTerm(node) else { return nil }
    switch term {
    case .constant(.text), .group:
      report(.meaning, "expected a number, found a text", at: node)
      return nil
    case .constant(.number), .attribute, .collection, .variable, .count, .countWhere, .sum, .difference, .bySeat:
      return term
    }
  }
}
