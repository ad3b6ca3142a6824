/// The application of a plan, which makes a diff. Nothing in this folder can fail: planning has checked everything.
extension Table {
  /// Carries out a plan for the present state.
  ///
  /// - Returns: One diff, which raises the revision by one; `nil` if the operation changed nothing.
  /// - Complexity: O(k log n) for k items moved, made or removed.
  package mutating func apply(_ plan: borrowing Plan) -> Diff? {
    var builder = DiffBuilder(plan, revision: state.revision.next)
    guard carryOut(plan.effect, &builder) else { return nil }
    conclude(&builder)
    return (consume builder).finish()
  }

  /// - Returns: Whether there is a diff.
  private mutating func carryOut(_ effect: Plan.Effect, _ builder: inout DiffBuilder) -> Bool {
    switch effect {
    case .nothing: return false
    case .move(let move): carryOut(move, &builder)
    case .moveThen(let move, let consequences, let faces):
      let areConcealed = noteConcealed(move, faces, &builder)
      carryOut(move, &builder)
      stamp(move.slots, faces, areConcealed, &builder)
      for consequence in consequences { carryOut(consequence.step, on: [], consequence.context, &builder) }
    case .copy(let copy): carryOut(copy, &builder)
    case .insert(let insertion): carryOut(insertion, &builder)
    case .remove(let slots):
      let sources = state.collections(of: slots)
      end(slots, &builder)
      turnExposed(in: sources, &builder)
    case .update(let slot, let face):
      noteAppearance(slot, at: builder.revision)
      addFaced(setFace(slot, face), &builder)
    case .perform(let steps, let slots, let context, let changesAlways):
      for step in steps { carryOut(step, on: slots, context, &builder) }
      return changesAlways || !builder.isEmpty
    case .setEnabled(let collection, let isEnabled):
      state.setEnabled(state.index(of: collection), isEnabled)
      builder.add(.enabled(collection, isEnabled))
      // Not undone: the opposite action reverses it.
      builder.isFinal = true
    case .undo(let inverse): carryOut(inverse, &builder)
    }
    return true
  }

  private mutating func carryOut(_ move: Plan.Move, _ builder: inout DiffBuilder) {
    let sources = state.collections(of: move.slots)
    self.move(move.slots, to: Int(move.collection), at: .block(move.place), &builder)
    turnExposed(in: sources, &builder)
  }

  /// Updates the table's status, its revision and the history after a change.
  private mutating func conclude(_ builder: inout DiffBuilder) {
    if state.type.hasEndings {
      let context = RuleContext(seat: builder.author.seat)
      let ending = state.type.endings.first { state.holds($0.when, context) }
      if let status = ending?.status, !status.hasBytes(of: state.status) { set(status, &builder) }
    }
    state.revision = builder.revision
    if !builder.isFinal {
      undos.append(
        UndoWindow.Operation(
          revision: builder.revision, author: builder.author.session, sequence: builder.sequence,
          undoes: builder.undoes))
    }
    // A prediction must not push confirmed records out of the window.
    if state.predictionLog == nil { trimHistory() }
  }
}
