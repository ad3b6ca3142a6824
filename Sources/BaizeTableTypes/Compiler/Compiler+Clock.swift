import BaizeTable

extension Compiler {
  /// Reads the limits of the time of a turn and of the table.
  func readClock(_ node: Node, _ actions: [Action]) -> TimeLimits {
    guard let fields = object(node, required: [], optional: ["turn", "table"]) else { return TimeLimits() }
    if fields["turn"] == nil, fields["table"] == nil {
      report(.form, "one of the keys 'turn', 'table' is missing", at: node)
    }
    if let turn = fields["turn"] { requireTurns(turn) }
    return TimeLimits(
      turn: fields["turn"].flatMap { readTimeLimit($0, actions) },
      table: fields["table"].flatMap { readTimeLimit($0, actions) })
  }

  /// Reads a time limit; none also if its option is 0.
  private func readTimeLimit(_ node: Node, _ actions: [Action]) -> TimeLimit? {
    guard let fields = object(node, required: ["seconds", "try"], optional: ["when", "renewedBy"]) else { return nil }
    let seconds = fields["seconds"].flatMap { constant($0, in: 0...DocumentLimits.timeLimitSecondsMax) }
    let when = fields["when"].map { readPredicate($0, in: .clock) } ?? .all([])
    let renewedBy = fields["renewedBy"].map { list($0).compactMap { readVariable($0) } } ?? []
    let entries = fields["try"].map { list($0, countMin: 1) } ?? []
    let attempts = entries.compactMap { readAttempt($0, actions) }
    guard let seconds, seconds > 0, let when else { return nil }
    return TimeLimit(seconds: Int(seconds), when: when, renewedBy: renewedBy, attempts: attempts)
  }

  private func readAttempt(_ node: Node, _ actions: [Action]) -> TimeLimit.Attempt? {
    guard let (form, fields) = object(node, oneOf: ["move", "perform", "steps"], optional: ["if", "as"]) else {
      return nil
    }
    let isActive = readGuard(fields["if"])
    return reading(excluded: !isActive) {
      let actor = fields["as"].map { readActor($0, in: .clock) }
      isInActing = actor != nil
      defer { isInActing = false }
      guard let part = fields[form], let effect = readEffect(form, part, actions), isActive else { return nil }
      guard let actor else { return TimeLimit.Attempt(effect) }
      return actor.map { TimeLimit.Attempt(as: $0, effect) }
    }
  }

  private func readEffect(_ form: String, _ node: Node, _ actions: [Action]) -> TimeLimit.Effect? {
    switch form {
    case "move":
      guard namesActor(node) else { return readRoute(node).map { .move([$0]) } }
      return forEachSeat(node) { readRoute(node) }.map { .move($0) }
    case "perform": return readPerformed(node, actions).map { .perform($0) }
    default: return .steps(readSteps(node, items: .contended, in: .action))
    }
  }

  private func readRoute(_ node: Node) -> TimeLimit.Route? {
    guard let fields = object(node, required: ["from", "to"]) else { return nil }
    let from = fields["from"].flatMap { readCollection($0) }
    let to = fields["to"].flatMap { readCollection($0) }
    guard let from, let to else { return nil }
    guard from != to else {
      report(.meaning, "this moves from a collection to itself", at: node)
      return nil
    }
    return TimeLimit.Route(from: from, to: to)
  }

  private func readPerformed(_ node: Node, _ actions: [Action]) -> String? {
    guard let name = plainName(node) else { return nil }
    guard let action = actions.first(where: { $0.name == name }) else {
      report(.meaning, "unknown action \(name.quoted)\(hint(for: name, among: actions.map(\.name)))", at: node)
      return nil
    }
    guard action.items == .contended else {
      report(.meaning, "the action needs items to work on", at: node)
      return nil
    }
    return name
  }
}
