import BaizeTable

extension Compiler {
  func readActions(_ node: Node) -> [Action] {
    namedMembers(node).compactMap { readAction($1, name: $0) }
  }

  private func readAction(_ node: Node, name: String) -> Action? {
    guard let fields = object(node, required: ["cases"], optional: ["items", "outOfTurn", "each", "else", "detail"])
    else {
      return nil
    }
    let items = fields["items"].flatMap { word($0, ["contended": Action.Items.contended, "subject": .subject]) }
    let isOutOfTurn = boolean(fields["outOfTurn"], default: false)
    if isOutOfTurn, let node = fields["outOfTurn"] { requireTurns(node) }
    let each = conditions(fields["each"], in: .actionItem)
    let cases = fields["cases"].map { list($0, countMin: 1) } ?? []
    let reason = fields["else"].flatMap { readReason($0) } ?? .forbidden
    let detail = fields["detail"].flatMap { sentence($0) } ?? ""
    let path = node.path.description
    return Action(
      name: name, items: items ?? .contended, isOutOfTurn: isOutOfTurn, each: each,
      cases: cases.compactMap { readCase($0, items: items ?? .contended) },
      otherwise: Refusal(reason, rule: path, detail: detail), path: path)
  }

  private func readCase(_ node: Node, items: Action.Items) -> Action.Case? {
    guard let fields = object(node, required: ["steps"], optional: ["when", "conditions", "if"]) else { return nil }
    let isActive = readGuard(fields["if"])
    return reading(excluded: !isActive) {
      let when = fields["when"].map { readPredicate($0, in: .action) } ?? .all([])
      let require = conditions(fields["conditions"], in: .action)
      let steps = readSteps(fields["steps"], items: items, in: .action)
      guard isActive, let when else { return nil }
      return Action.Case(when: when, require: require, steps: steps)
    }
  }

  private static let stepForms = ["deal", "shuffle", "turn", "pin", "set", "passTurn", "steps"]

  /// Reads a list of steps, without those that an option excludes.
  func readSteps(_ node: Node?, items: Action.Items, in scope: Scope) -> [Action.Step] {
    guard let node else { return [] }
    return list(node, countMin: 1).flatMap { readStep($0, items: items, in: scope) }
  }

  /// Reads a step, or several in one; none also if an option excludes it.
  private func readStep(_ node: Node, items: Action.Items, in scope: Scope) -> [Action.Step] {
    let optional = ["if", "as", "when"]
    guard let (form, fields) = object(node, oneOf: Self.stepForms, optional: optional) else { return [] }
    let isActive = readGuard(fields["if"])
    return reading(excluded: !isActive) {
      let steps = readForm(form, fields, items: items, in: scope)
      return isActive ? steps : []
    }
  }

  /// Reads a step whose form is known, with its `as` and `when`.
  private func readForm(_ form: String, _ fields: Node, items: Action.Items, in scope: Scope) -> [Action.Step] {
    let actor = fields["as"].map { readActor($0, in: scope) }
    let wasInActing = isInActing
    if actor != nil { isInActing = true }
    defer { isInActing = wasInActing }
    let when = fields["when"].map { readPredicate($0, in: scope) }
    guard let part = fields[form], var steps = readParts(form, part, items: items, in: scope) else { return [] }
    if form == "turn" || form == "pin", items != .subject {
      report(.meaning, "'\(form)' needs items to work on: \"items\": \"subject\"", at: fields)
    }
    if let when { steps = when.map { [.when($0, steps)] } ?? [] }
    if let actor { steps = actor.map { [.acting($0, steps)] } ?? [] }
    return steps
  }

  private func readParts(
    _ form: String, _ node: Node, items: Action.Items, in scope: Scope
  ) -> [Action.Step]? {
    form == "steps" ? readSteps(node, items: items, in: scope) : readStep(form, node, in: scope).map { [$0] }
  }

  /// Reads `"everySeat"` or a number of a seat. It is not nested: carrying it out would take time exponential in the depth.
  func readActor(_ node: Node, in scope: Scope) -> Action.Step.Actor? {
    guard !isInActing else {
      report(.meaning, "'as' cannot be nested in 'as'", at: node)
      return nil
    }
    dependsOnSeats = true
    if case .text = node.json.content { return word(node, ["everySeat": .everySeat]) }
    guard let term = number(node) else { return nil }
    return allow(term.needs, at: node, in: scope) ? .seat(term) : nil
  }

  private func readStep(_ form: String, _ node: Node, in scope: Scope) -> Action.Step? {
    if namesActor(node) { return forEachSeat(node) { readStep(form, node, in: scope) }.map { .bySeat($0) } }
    switch form {
    case "deal": return readDealStep(node, in: scope)
    case "shuffle": return readStepCollection(node).map { .shuffle($0) }
    case "turn": return word(node, ["up": .turn(up: true), "down": .turn(up: false)])
    case "pin": return .pin(boolean(node, default: true))
    case "passTurn":
      requireTurns(node)
      if case .boolean(true) = node.json.content { return .passTurn }
      reportType("true", at: node)
      return nil
    default: return readSetStep(node, in: scope)
    }
  }

  private func readDealStep(_ node: Node, in scope: Scope) -> Action.Step? {
    guard let fields = object(node, required: ["from", "to"], optional: ["count"]) else { return nil }
    let from = fields["from"].flatMap { readStepCollection($0) }
    let to = fields["to"].flatMap { readStepCollection($0) }
    let count = fields["count"].map { readCount($0, in: scope) }
    guard let from, let to else { return nil }
    guard from != to else {
      report(.meaning, "this deals from a collection to itself", at: node)
      return nil
    }
    guard let count else { return .deal(from: from, to: to, count: nil) }
    return count.map { .deal(from: from, to: to, count: $0) }
  }

  func readCount(_ node: Node, in scope: Scope) -> Term? {
    guard let term = number(node) else { return nil }
    return allow(term.needs, at: node, in: scope) ? term : nil
  }

  /// Reads `{"redeals": term}`.
  private func readSetStep(_ node: Node, in scope: Scope) -> Action.Step? {
    let members = namedMembers(node, where: isPath)
    guard members.count == 1, node.members.count == 1 else {
      if node.members.count != 1, case .object = node.json.content {
        report(.form, "a step sets one variable", at: node)
      }
      return nil
    }
    let (name, value) = members[0]
    let isKnown = variables.contains { $0.name == name }
    if !isKnown {
      let hint = hint(for: name, among: variables.map(\.name))
      report(.meaning, "unknown variable \(name.quoted)\(hint)", at: value, position: node.members[0].keyPosition)
    }
    guard let term = readTerm(value, in: scope), isKnown else { return nil }
    return .set(variable: name, term)
  }

  func readEndings(_ node: Node) -> [Ending] {
    list(node).flatMap { node in
      let isOfSeats = node["status"].map { namesActor($0) } ?? false
      return isOfSeats ? forEachSeat(node) { readEnding(node) } ?? [] : [readEnding(node)].compactMap { $0 }
    }
  }

  private func readEnding(_ node: Node) -> Ending? {
    guard let fields = object(node, required: ["when", "status"], optional: ["final"]) else { return nil }
    let when = fields["when"].flatMap { readPredicate($0, in: .ending) }
    let status = fields["status"].flatMap { plainName($0, where: Name.isStatus) }.map { bound($0) }
    let isFinal = boolean(fields["final"], default: true)
    guard let when, let status else { return nil }
    return Ending(when: when, status: status, isFinal: isFinal)
  }
}
