/// A kind of operation that a ``Generator`` chooses.
package enum GeneratedKind: Hashable, Sendable, CaseIterable {
  /// A move that the rules allow.
  case legal
  /// Anything that a player's interface can express, by position.
  case free
  /// A move of what everybody else moves, to where everybody else drops.
  case contended
  /// An operation that every table refuses.
  case illegal
  /// An operation that is almost right, by ids and numbers near valid ones and at their extremes.
  case hostile
  /// A free one on a base that is older than what its author has received.
  case late
  /// As many items as an operation may have, or one more.
  case huge
  /// A host action: of the host, and a fourth as often of others, who may not.
  case hosting
  case undo
}

/// The content of a free or hostile operation.
package enum GeneratedContent: Hashable, Sendable, CaseIterable {
  case move
  case copy
  case alias
  case insert
  case remove
  case update
  case perform
  /// An undo, and an operation of a future version: hostile ones only.
  case undo
  case unknown
}

/// The weights by which a ``Generator`` chooses: 0 for never.
package struct GeneratorWeights: Sendable {
  private var kinds: [(element: GeneratedKind, weight: Int)]
  private let contents: [(element: GeneratedContent, weight: Int)]
  /// Once in so many operations the author insists on it, even if its rules refuse it; 0 for never.
  let insistence: Int
  /// Once in so many hostile operations the epoch or the base is wrong, and once in four times as many the number, which
  /// ends the connection.
  let mistakes: Int

  /// The players of worlds: everything that real clients can do.
  package static let worlds = GeneratorWeights(
    [(.legal, 30), (.free, 188), (.contended, 16), (.illegal, 20), (.huge, 1), (.undo, 24)],
    [(.move, 130), (.copy, 40), (.alias, 50), (.insert, 40), (.remove, 20), (.update, 20), (.perform, 60)],
    insistence: 5)
  /// The participants of leak pairs, whose undos and host actions are steps of their own.
  package static let leaks = GeneratorWeights(
    [(.legal, 20), (.free, 180), (.contended, 10), (.illegal, 18), (.late, 32)],
    [(.move, 130), (.copy, 40), (.alias, 50), (.insert, 40), (.remove, 20), (.update, 20), (.perform, 60)])
  /// Players whose items are marked, so that a ledger can follow them.
  package static let load = GeneratorWeights(
    [(.legal, 20), (.free, 58), (.contended, 11), (.illegal, 10), (.huge, 1)],
    [(.move, 33), (.alias, 9), (.insert, 33), (.remove, 7), (.update, 15), (.perform, 20)], insistence: 2)
  /// Hostile connections that are to stay for a while.
  package static let hostile = GeneratorWeights([(.hostile, 1)], hostileContents, mistakes: 100)
  /// Scripts of a fuzzer.
  package static let fuzz = GeneratorWeights([(.hostile, 1)], hostileContents, mistakes: 8)

  private static let hostileContents: [(GeneratedContent, Int)] = [
    (.move, 7), (.insert, 2), (.remove, 1), (.update, 1), (.perform, 3), (.undo, 1), (.unknown, 1),
  ]

  package init(
    _ kinds: [(GeneratedKind, Int)], _ contents: [(GeneratedContent, Int)], insistence: Int = 0, mistakes: Int = 8
  ) {
    self.kinds = kinds.map { ($0, $1) }
    self.contents = contents.map { ($0, $1) }
    self.insistence = insistence
    self.mistakes = mistakes
  }

  package subscript(kind: GeneratedKind) -> Int { kinds.first { $0.element == kind }?.weight ?? 0 }

  package subscript(content: GeneratedContent) -> Int { contents.first { $0.element == content }?.weight ?? 0 }

  /// Returns the same weights where one of so many operations of a host is a host action.
  package func hosting(onceIn times: Int) -> Self {
    var weights = self
    weights.kinds.removeAll { $0.element == .hosting }
    let others = weights.kinds.reduce(0) { $0 + $1.weight }
    if times > 1 { weights.kinds.append((.hosting, others / (times - 1))) }
    return weights
  }

  func kind(byHost isHost: Bool, _ decisions: inout some DecisionSource) -> GeneratedKind {
    decisions.choose(by: isHost || self[.hosting] == 0 ? kinds : kinds.map { ($0, $0 == .hosting ? $1 / 4 : $1) })
  }

  func content(_ decisions: inout some DecisionSource) -> GeneratedContent { decisions.choose(by: contents) }
}
