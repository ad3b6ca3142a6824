import BaizeWorkload

/// Shortens a script that fails as long as the same invariant fails.
///
/// Delta debugging after A. Zeller and R. Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002). It needs
/// only that any part of a script is a script.
public struct Shrinker {
  public private(set) var script: Script
  public private(set) var failure: InvariantViolation
  /// The number of worlds tried so far.
  public private(set) var tries = 0
  private let triesMax: Int

  /// - Parameters:
  ///   - failure: The failure of the script.
  ///   - triesMax: The maximum number of worlds to try.
  public init(_ script: Script, _ failure: InvariantViolation, triesMax: Int = 5_000) {
    self.script = script
    self.failure = failure
    self.triesMax = triesMax
  }

  /// Returns the shortest script that it finds, and its failure.
  public static func shortened(
    _ script: Script, _ failure: InvariantViolation
  ) -> (script: Script, failure: InvariantViolation) {
    var shrinker = Shrinker(script, failure)
    shrinker.run()
    return (shrinker.script, shrinker.failure)
  }

  public mutating func run() {
    var length: Int
    repeat {
      length = size
      dropClients()
      dropSteps()
      dropLimits()
      simplifySteps()
    } while size < length && tries < triesMax
    dropTables()
  }

  /// The size of the script, which is minimized.
  private var size: Int { script.steps.reduce(script.plan.limits.count) { $0 + $1.size } }

  /// Adopts a change of the script if it then fails like the first one.
  @discardableResult
  private mutating func attempt(_ change: (inout Script) -> Void) -> Bool {
    guard tries < triesMax else { return false }
    tries += 1
    var candidate = script
    change(&candidate)
    guard let failure = candidate.failure(), failure.invariant == self.failure.invariant else { return false }
    script = candidate
    self.failure = failure
    return true
  }

  // MARK: Ways to get shorter

  /// Tries to drop all steps of a client, for each.
  private mutating func dropClients() {
    for client in script.plan.clients.indices where script.steps.contains(where: { $0.client == client }) {
      attempt { script in script.steps.removeAll { $0.client == client } }
    }
    while script.plan.clients.count > 1, !script.steps.contains(where: { $0.client == script.plan.clients.count - 1 }) {
      guard attempt({ $0.plan.clients.removeLast() }) else { return }
    }
  }

  /// Tries to drop ever smaller parts of the steps.
  private mutating func dropSteps() {
    var length = max(1, script.steps.count / 2)
    while true {
      var end = script.steps.count
      while end > 0 {
        attempt { $0.steps.removeSubrange(max(0, end - length)..<end) }
        end = min(end - length, script.steps.count)
      }
      guard length > 1 else { return }
      length /= 2
    }
  }

  private mutating func dropLimits() {
    for limit in script.plan.limits {
      attempt { script in script.plan.limits.removeAll { $0 == limit } }
    }
  }

  private mutating func simplifySteps() {
    for index in script.steps.indices {
      for simpler in script.steps[index].simpler {
        if attempt({ $0.steps[index] = simpler }) { break }
      }
    }
  }

  private mutating func dropTables() {
    while script.plan.tables.count > 1,
      !script.plan.clients.contains(where: { $0.table == script.plan.tables.count - 1 })
    {
      guard attempt({ $0.plan.tables.removeLast() }) else { return }
    }
  }
}

extension Step {
  /// The client of the step, if any.
  var client: Int? {
    switch self {
    case .start(let number), .act(let number, _), .ask(let number), .leave(let number), .connect(let number),
      .refuse(let number), .up(let number), .down(let number), .cut(let number, _), .abandon(let number),
      .impostor(let number, _), .express(let number, _):
      number
    case .arrive, .notice, .turn, .commit, .load, .make, .pass, .crash, .restart, .fill, .free: nil
    }
  }

  /// The length for a reader.
  fileprivate var size: Int {
    if case .act(_, let action) = self { return 1 + action.size }
    return 1
  }

  /// Smaller variants of the step.
  fileprivate var simpler: [Step] {
    switch self {
    case .act(let number, let action): action.simpler.map { .act(number, $0) }
    case .cut(let number, let arriving): arriving > 0 ? [.cut(number)] : []
    case .commit(let count): count > 1 ? [.commit(1)] : []
    default: []
    }
  }
}

extension ClientAction {
  fileprivate var size: Int {
    switch self {
    case .move(let spots, _), .copy(let spots, _), .alias(let spots, _), .remove(let spots), .perform(_, let spots):
      spots.count
    case .insert(let count, _): count
    case .update, .undo, .host, .invalid: 1
    case .forced(let action): 1 + action.size
    }
  }

  fileprivate var simpler: [ClientAction] {
    switch self {
    case .move(let spots, let gap): Self.shorter(spots).map { .move($0, to: gap) }
    case .copy(let spots, let gap): Self.shorter(spots).map { .copy($0, to: gap) }
    case .alias(let spots, let gap): Self.shorter(spots).map { .alias($0, to: gap) }
    case .remove(let spots): Self.shorter(spots).map { .remove($0) }
    case .perform(let action, let spots): Self.shorter(spots).map { .perform(action, $0) }
    case .insert(let count, let gap): count > 1 ? [.insert(1, to: gap)] : []
    case .update, .undo, .host, .invalid: []
    case .forced(let action): [action] + action.simpler.map { .forced($0) }
    }
  }

  private static func shorter(_ spots: [Spot]) -> [[Spot]] {
    spots.count > 1 ? [Array(spots.prefix(1)), Array(spots.suffix(1)), Array(spots.dropLast())] : []
  }
}
