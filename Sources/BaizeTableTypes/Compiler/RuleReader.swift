import BaizeTable

/// Reads the conditions of rules, their predicates and their terms.
class RuleReader: NameReader {
  private var checks: [String: [Condition]] = [:]
  private var conditionCount = 0
  /// Whether the predicate that is being read holds for every seat.
  var isInEverySeat = false
  /// Whether the predicate that is being read is the condition of a count.
  var isInCount = false
  /// Whether a condition is being read: its author alone learns what it reads, and may not read hidden faces. Everyone may
  /// learn what other predicates and terms read.
  var isInCondition = false

  func readChecks(_ node: Node) {
    for (name, node) in namedMembers(node) {
      checks[name] = list(node, countMin: 1).flatMap { ownCondition($0, in: .check) }
    }
  }

  /// Reads conditions in order: those written out, and those of the checks that are used.
  func conditions(_ node: Node?, in scope: Scope) -> [Condition] {
    guard let node else { return [] }
    return list(node).flatMap { node in
      node["use"] == nil ? ownCondition(node, in: scope, allowsUse: true) : usedConditions(node, in: scope)
    }
  }

  /// Counts `count` more conditions and returns whether the limit admits them.
  private func admit(_ count: Int, at node: Node) -> Bool {
    if conditionCount <= DocumentLimits.conditionsMax, conditionCount + count > DocumentLimits.conditionsMax {
      report(.meaning, "this exceeds the limit of \(DocumentLimits.conditionsMax) conditions", at: node)
    }
    conditionCount += count
    return conditionCount <= DocumentLimits.conditionsMax
  }

  /// Reads a condition that is written out; empty if an option excludes it.
  private func ownCondition(_ node: Node, in scope: Scope, allowsUse: Bool = false) -> [Condition] {
    let forms = allowsUse ? ["require", "use"] : ["require"]
    let optional = ["detail", "blind", "if"]
    guard let (_, fields) = object(node, oneOf: forms, with: ["require": ["else"]], optional: optional) else {
      return []
    }
    let isActive = readGuard(fields["if"])
    isInCondition = true
    defer { isInCondition = false }
    let predicate = fields["require"].flatMap { node in
      reading(excluded: !isActive) { readPredicate(node, in: scope) }
    }
    let reason = fields["else"].flatMap { readReason($0) }
    let detail = fields["detail"].map { sentence($0) } ?? ""
    let isBlind = boolean(fields["blind"], default: false)
    guard admit(1, at: node), isActive, let predicate, let reason, let detail else { return [] }
    return [Condition(predicate, else: reason, path: node.path.description, detail: detail, isBlind: isBlind)]
  }

  /// Returns the conditions of a check, with the reason given here in place of their own, if there is one.
  private func usedConditions(_ node: Node, in scope: Scope) -> [Condition] {
    guard let fields = object(node, required: ["use"], optional: ["else", "detail", "if"]) else { return [] }
    let isActive = readGuard(fields["if"])
    let reason = fields["else"].flatMap { readReason($0) }
    let detail = fields["detail"].flatMap { sentence($0) }
    guard let use = fields["use"], let name = plainName(use) else { return [] }
    guard let check = checks[name] else {
      report(.meaning, "unknown check \(name.quoted)\(hint(for: name, among: checks.keys))", at: use)
      return []
    }
    guard admit(check.count, at: node) else { return [] }
    let needs = check.reduce(into: Needs()) { $0.formUnion($1.predicate.needs) }
    guard allow(needs, at: use, in: scope, by: "the check '\(name)'"), isActive else { return [] }
    return check.map { condition in
      Condition(
        condition.predicate, else: reason ?? condition.reason, path: condition.path,
        detail: detail ?? condition.detail, isBlind: condition.isBlind)
    }
  }
}
