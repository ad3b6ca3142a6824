/// What the rules of collections do when items have moved out of them or into them.
extension Table {
  struct Consequence {
    let step: Action.Step
    let context: RuleContext
  }

  /// What follows when `slots` move from the collections `left` to `collection`: what those say that items leave, then
  /// what the one says that they come to. Within a collection nothing does.
  ///
  /// - Throws: The refusal of a move that a step does not allow, or that a replica cannot foresee, before anything has
  ///   changed.
  func consequences(
    of slots: SlotList, from left: InlineList<Int>, to collection: Int, _ judging: Judging
  ) throws(Refusal) -> [Consequence] {
    guard state.type.hasConsequences, left.contains(where: { $0 != collection }) else { return [] }
    let seat = judging.author.seat
    var context = RuleContext(destination: collection, sourcesCount: slots.count, seat: seat)
    var consequences: [Consequence] = []
    for source in left where source != collection {
      context.source = source
      consequences += state.kind(of: source).lift.then.map { Consequence(step: $0, context: context) }
    }
    let accept = state.kind(of: collection).accept
    consequences += accept.then.map { Consequence(step: $0, context: context) }
    if accept.passesTurn { consequences.append(Consequence(step: .passTurn, context: context)) }
    for consequence in consequences { try checkEnabled(consequence.step, seat) }
    if role == .replica { try checkPredictable(consequences.map(\.step), judging, moved: slots.count) }
    return consequences
  }
}
