/// A plan and its steps, from which a failure is replayed.
public struct Script: Hashable, Sendable {
  public var plan: SimulationPlan
  public var steps: [Step]

  public init(plan: SimulationPlan, steps: [Step]) {
    self.plan = plan
    self.steps = steps
  }

  /// Returns the invariant that does not hold in the script's world, if any.
  public func failure() -> InvariantViolation? { World(plan).failure(of: steps) }
}

extension World {
  /// Runs a script.
  ///
  /// - Returns: The invariant that does not hold, if any.
  public func failure(of steps: [Step]) -> InvariantViolation? {
    do throws(InvariantViolation) {
      try run(steps)
      return nil
    } catch {
      return error
    }
  }
}
