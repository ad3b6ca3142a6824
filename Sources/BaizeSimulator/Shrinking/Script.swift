/// A world, step by step: what a failure is replayed from.
public struct Script: Hashable, Sendable {
  public var plan: Plan
  public var steps: [Step]

  public init(plan: Plan, steps: [Step]) {
    self.plan = plan
    self.steps = steps
  }

  /// What does not hold in the script's world, if anything.
  public func failure() -> Broken? { World(plan).failure(of: steps) }
}

extension World {
  /// Runs a script.
  ///
  /// - Returns: What does not hold, if anything.
  public func failure(of steps: [Step]) -> Broken? {
    do throws(Broken) {
      try run(steps)
      return nil
    } catch {
      return error
    }
  }
}
