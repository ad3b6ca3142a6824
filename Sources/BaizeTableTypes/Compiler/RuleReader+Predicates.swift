import BaizeTable

extension RuleReader {
  private static let predicateForms = [
    "equal", "unequal", "less", "atMost", "oneOf", "faceUp", "all", "any", "not", "everySeat", "changes",
  ]

  /// Reads a predicate that uses only values of `scope`.
  func readPredicate(_ node: Node, in scope: Scope) -> Predicate? {
    guard let predicate = readPredicate(node) else { return nil }
    return allow(predicate.needs, at: node, in: scope) ? predicate : nil
  }

  /// Reads a predicate; `true` always holds, `false` never.
  func readPredicate(_ node: Node) -> Predicate? {
    if case .boolean(let holds) = node.json.content { return holds ? .all([]) : .any([]) }
    guard case .object = node.json.content else {
      reportType("true, false or an object", at: node)
      return nil
    }
    guard let (form, fields) = object(node, oneOf: Self.predicateForms), let part = fields[form] else { return nil }
    switch form {
    case "equal": return readComparison(part, .equal)
    case "unequal": return readComparison(part, .unequal)
    case "less": return readComparison(part, .less)
    case "atMost": return readComparison(part, .atMost)
    case "oneOf": return readOneOf(part)
    case "faceUp": return word(part, ["item": .faceUp(.item), "below": .faceUp(.below)])
    case "all": return readPredicates(part).map { .all($0) }
    case "any": return readPredicates(part).map { .any($0) }
    case "everySeat": return readEverySeat(part)
    case "changes": return plainName(part).map { .changes($0) }
    default: return readPredicate(part).map { .not($0) }
    }
  }

  /// Reads a predicate in which `{seat}` stands for each seat in turn. It is not nested: evaluating it would take time
  /// exponential in the depth.
  private func readEverySeat(_ node: Node) -> Predicate? {
    guard !isInEverySeat, !isInCount else {
      report(.meaning, "'everySeat' cannot be nested in '\(isInEverySeat ? "everySeat" : "where")'", at: node)
      return nil
    }
    dependsOnSeats = true
    let outer = seat
    (seat, isInEverySeat) = (nil, true)
    defer { (seat, isInEverySeat) = (outer, false) }
    return readPredicate(node).map { .everySeat($0) }
  }

  private func readPredicates(_ node: Node) -> [Predicate]? {
    let nodes = list(node)
    let predicates = nodes.compactMap { readPredicate($0) }
    return predicates.count == nodes.count ? predicates : nil
  }

  private func readComparison(_ node: Node, _ comparison: Predicate.Comparison) -> Predicate? {
    let needsNumbers = comparison == .less || comparison == .atMost
    let terms = list(node, countMin: 2, countMax: 2).compactMap { needsNumbers ? number($0) : readTerm($0) }
    return terms.count == 2 ? .compare(terms[0], comparison, terms[1]) : nil
  }

  /// Reads `[term, [values]]`.
  private func readOneOf(_ node: Node) -> Predicate? {
    let parts = list(node, countMin: 2, countMax: 2)
    guard parts.count == 2 else { return nil }
    let term = readTerm(parts[0])
    let values = list(parts[1], countMin: 1).compactMap { readValue($0) }
    return term.map { .oneOf($0, values) }
  }
}
