/// G9: the actions that a table type names, and those of the host.
extension Table {
  func planAction(
    _ name: String, _ items: ItemList, _ request: Request, _ memory: AuthorMemory,
    _ claims: [ItemID: Claim]?
  ) throws(Refusal) -> Plan {
    guard let action = state.type.actions.first(where: { $0.name.hasBytes(of: name) }) else {
      throw Refusal(.unknownAction, detail: "the table type has no such action")
    }
    // An action on items needs at least one; naming the contended item is optional.
    let needsItems = action.items == .subject
    let resolved = needsItems || !items.isEmpty ? try resolve(items, request, memory) : ResolvedItems(slots: [])
    let slots = resolved.slots
    try state.checkParticipation(of: request.seat)
    try state.checkRights(performing: action, on: slots, by: request.seat)
    try state.checkEnabled(slots)
    try checkClaims(slots, request, claims)
    try checkPresent(resolved)
    try checkShowable(slots)
    var context = RuleContext(sources: slots, sourcesCount: slots.count, seat: request.seat)
    for slot in slots {
      context.item = .slot(slot)
      context.source = state.collection(slot)
      try state.check(action.each, context)
    }
    context.item = .nothing
    context.source = -1
    guard let branch = action.cases.first(where: { state.holds($0.when, context) }) else { throw action.otherwise }
    try state.check(branch.require, context)
    let steps = branch.steps.map { Plan.Consequence(step: $0, context: context) }
    try state.checkSteps(steps)
    try checkContention(slots, request)
    if role == .replica { try checkPredictable(steps, request) }
    let touchesPrivate = slots.contains { state.traits(of: state.collection($0)).flags.contains(.isPrivate) }
    return Plan(request, .perform(branch.steps, on: slots, context, changesAlways: touchesPrivate))
  }

  /// Returns the items that an action would take first. An operation that names them succeeds for only one of two
  /// participants who perform the action at once.
  ///
  /// - Returns: The items to name in ``TableOperation/Kind/perform(action:items:_:)``; empty for actions that take
  ///   nothing from the end of a collection.
  public func contendedItems(of action: String, by seat: SeatNumber) -> ItemList {
    let context = RuleContext(seat: seat)
    guard let action = state.type.actions.first(where: { $0.name.hasBytes(of: action) }), action.items == .contended,
      let branch = action.cases.first(where: { state.holds($0.when, context) })
    else { return [] }
    var items = ItemList()
    for step in state.leaves(of: branch.steps.map { Plan.Consequence(step: $0, context: context) }) {
      guard case .deal(let from, _, _) = step.step, state.isVisible(from, to: seat) else { continue }
      if let last = state.lastItem(in: from), !last.isProvisional, !items.contains(last) { items.append(last) }
    }
    return items
  }

  // MARK: The host

  /// Returns whether an action is the host's, and none of the table type's.
  static func isForHost(_ action: String) -> Bool { action.hasPrefix(HostAction.prefix) }

  /// Plans a host action on the table itself; those on sessions are planned by the session layer.
  func planForHost(
    _ name: String, _ destination: Destination?, _ request: Request
  ) throws(Refusal) -> Plan {
    if role == .replica { throw Refusal.unpredictable }
    guard let action = HostAction(action: name, destination: destination) else {
      throw Refusal(.unknownAction, detail: "there is no such host action")
    }
    switch action {
    case .freeze(let collection): return try planEnabling(collection, false, request)
    case .thaw(let collection): return try planEnabling(collection, true, request)
    case .kick, .give, .invitePlayers, .inviteSpectators: throw Refusal(.operationNotSupported)
    }
  }

  private func planEnabling(
    _ collection: CollectionHandle, _ isEnabled: Bool, _ request: Request
  ) throws(Refusal) -> Plan {
    _ = try index(of: collection)
    try state.checkHost(request.author.seat)
    let changes = state.isEnabled(collection) != isEnabled
    return Plan(request, changes ? .setEnabled(collection, isEnabled) : .nothing)
  }
}

extension TableState {
  /// The seat of the person with the rights of a host: of those with an active seat, the one who joined first. `nil` if no seat is
  /// taken.
  public var hostSeat: SeatNumber? { seatOfHost?.number }

  /// The person with the rights of a host; `nil` if no seat is taken.
  public var hostPerson: SessionID? { seatOfHost?.person }

  private var seatOfHost: Seat? { activeSeats.lazy.filter(\.isHeld).min { $0.person < $1.person } }

  /// Refuses everyone but the host.
  package func checkHost(_ seat: SeatNumber) throws(Refusal) {
    guard seat != .spectator, hostSeat == seat else {
      throw Refusal(.permissionDenied, detail: "only the table's host may do that")
    }
  }
}
