package import BaizeTable

/// Chooses the operations of an author at random, by weights over kinds, from the author's view of the table and its rules.
///
/// The same decisions at the same views give the same operations, in worlds, kill tests and fuzzing alike.
package struct Generator {
  package let weights: GeneratorWeights
  /// Gives items marks, by which a ledger follows the author's operations.
  private var marker: Marker?

  /// - Parameter player: The player whose marks the author's items get; none unless given.
  package init(_ weights: GeneratorWeights, marksFor player: Int? = nil) {
    self.weights = weights
    marker = player.map(Marker.init)
  }

  /// Returns the author's next operation; `nil` if there is nothing to do.
  ///
  /// - Parameters:
  ///   - state: The author's view of the table.
  ///   - last: The number of the author's last operation.
  ///   - sessions: The sessions that may be at the table, for host actions.
  package mutating func next(
    at state: TableState, by seat: SeatNumber, after last: SequenceNumber = .zero, among sessions: [SessionID] = [],
    _ decisions: inout some DecisionSource
  ) -> GeneratedOperation? {
    let isHost = seat != .spectator && state.hostSeat == seat
    let kind = weights.kind(byHost: isHost, &decisions)
    if kind == .hostile {
      let knowledge = HostileKnowledge(state, after: last)
      return GeneratedOperation(kind: kind, content: .operation(self.kind(by: knowledge, &decisions)))
    }
    let action = action(of: kind, at: state, by: seat, among: sessions, &decisions)
    let lateBy = kind == .late ? UInt64(1 + decisions.below(Self.lateByMax)) : 0
    let insists = decisions.happens(onceIn: weights.insistence)
    guard marker != nil else {
      return GeneratedOperation(kind: kind, content: .action(action), lateBy: lateBy, insists: insists)
    }
    return marker?.marked(action, at: state, &decisions).map {
      GeneratedOperation(kind: kind, content: .operation($0), lateBy: lateBy, insists: insists)
    }
  }

  private static let lateByMax = 20

  private func action(
    of kind: GeneratedKind, at state: TableState, by seat: SeatNumber, among sessions: [SessionID],
    _ decisions: inout some DecisionSource
  ) -> ClientAction {
    switch kind {
    case .legal: legal(at: state, by: seat, &decisions) ?? free(at: state, by: seat, &decisions)
    case .free, .late, .hostile: free(at: state, by: seat, &decisions)
    case .contended: contended(at: state, &decisions)
    case .illegal: illegal(at: state, &decisions)
    case .huge: huge(at: state, &decisions)
    case .hosting: .host(hostAction(at: state, among: sessions, &decisions))
    case .undo: .undo(decisions.happens(onceIn: 3) ? decisions.below(5) : 0)
    }
  }
}

/// An operation that a ``Generator`` chose.
package struct GeneratedOperation: Hashable {
  package let kind: GeneratedKind
  package let content: Content
  /// By how many revisions its base is older than what its author has received.
  package var lateBy: UInt64 = 0
  /// Whether it is sent even if its author's rules refuse it.
  package var insists = false

  package enum Content: Hashable {
    /// By position, so that it is possible at other tables, too.
    case action(ClientAction)
    case operation(TableOperation.Kind)
  }

  /// The action, if it goes by position.
  package var action: ClientAction? {
    guard case .action(let action) = content else { return nil }
    return insists ? .forced(action) : action
  }

  /// Returns the operation at a table in a participant's view; `nil` if there is no item for it.
  package func operation(at state: TableState, after last: SequenceNumber) -> TableOperation.Kind? {
    switch content {
    case .action(let action): action.operation(at: state, after: last)
    case .operation(let kind): kind
    }
  }
}

/// An author whose operations depend on its seed and on the views that it is shown, and on nothing else.
package struct GeneratedAuthor {
  private var generator: Generator
  private var random: RandomSource

  package init(_ generator: Generator, random: RandomSource) {
    self.generator = generator
    self.random = random
  }

  package mutating func next(
    at state: TableState, by seat: SeatNumber, after last: SequenceNumber = .zero, among sessions: [SessionID] = []
  ) -> GeneratedOperation? {
    generator.next(at: state, by: seat, after: last, among: sessions, &random)
  }
}
