import BaizeTable

/// Worlds of positions, one after the other, for programs.
package enum PositionSearch {
  /// What is searched.
  package enum Subject: String, CaseIterable, Sendable {
    /// The real table and real replicas.
    case table
    /// The model of the rules, with clients of its own.
    case model
    /// The real table and real replicas, and the model, which judges the same operations.
    case both
  }

  package static let situations = PositionSituation.all.map(\.name)

  /// Plays worlds of one situation, each with the next seed.
  package static func play(
    _ situation: String, of subject: Subject, seed: UInt64, worlds: Int
  ) -> PositionCounts {
    guard let situation = PositionSituation.all.first(where: { $0.name == situation }) else { return PositionCounts() }
    switch subject {
    case .table: return play(situation, TableSystem.self, seed, worlds)
    case .model: return play(situation, ModelSystem.self, seed, worlds)
    case .both: return play(situation, PairedSystem.self, seed, worlds)
    }
  }

  /// Returns the first of some worlds with a violation, and the violation; `nil` if there is none.
  package static func firstViolation(
    of violations: Set<PositionViolation>, in situation: String, seed: UInt64, worlds: Int
  ) -> (world: Int, found: [PositionViolation])? {
    guard let situation = PositionSituation.all.first(where: { $0.name == situation }) else { return nil }
    for number in 0..<worlds {
      var world = PositionWorld<TableSystem>(seed: seed &+ UInt64(number), situation.settings)
      let found = world.run().intersection(violations)
      if !found.isEmpty { return (number + 1, found.sorted { $0.rawValue < $1.rawValue }) }
    }
    return nil
  }

  private static func play<System: PositionSystem>(
    _ situation: PositionSituation, _ system: System.Type, _ seed: UInt64, _ worlds: Int
  ) -> PositionCounts {
    var sum = PositionCounts()
    for number in 0..<worlds {
      let seed = seed &+ UInt64(number)
      var world = PositionWorld<System>(seed: seed, situation.settings)
      for violation in world.run() { world.counts.violations[violation] = (1, seed) }
      sum += world.counts
    }
    return sum
  }
}

extension PositionCounts: CustomStringConvertible {
  package var description: String {
    var parts = ["\(worlds) worlds, \(drops) drops, \(exchanged) exchanged"]
    if runs > 0 {
      parts.append("\(runs) runs: \(runsAsIntended) as intended, \(runsOutOfOrder) out of order")
    }
    parts.append(
      "\(ownAnswers) own answers: \(changing) as predicted changed what is shown, \(changingBehindOther) behind one that was not; "
        + "\(unexpected) not as predicted, \(retries) of them to send again; \(changingUnexpected) of these changed what is shown; "
        + "\(flipped) drops changed sides")
    let violations = PositionViolation.allCases.map { violation in
      guard let found = self.violations[violation] else { return "\(violation.rawValue) 0" }
      return "\(violation.rawValue) \(found.worlds) (seed \(found.firstSeed))"
    }
    parts.append("violations: " + violations.joined(separator: ", "))
    if let disagreement { parts.append("first disagreement: \(disagreement)") }
    return parts.joined(separator: "\n  ")
  }
}
