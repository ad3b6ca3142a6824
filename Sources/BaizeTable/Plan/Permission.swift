/// G5, G6, G10: which seats may act, where and when, and what others did to the items first.
extension TableState {
  /// The name of the variable that contains the seat whose turn it is, if the table type has turns.
  public static let turnVariable = "turn"

  /// The seats that take part in turns and in what every seat has to fulfil: those that are not absent, or all if all are.
  public var activeSeats: [Seat] {
    guard seats.contains(where: \.isAbsent) else { return seats }
    let active = seats.filter { !$0.isAbsent }
    return active.isEmpty ? seats : active
  }

  /// Returns whether a seat is taken by a session that is absent.
  package func isAbsent(_ seat: SeatNumber) -> Bool { seats.contains { $0.number == seat && $0.isAbsent } }

  /// Returns whether items are in a collection of a seat's of which others may not see everything.
  ///
  /// - Complexity: O(number of collections).
  package func hasHand(_ seat: SeatNumber) -> Bool {
    type.hasSecrets
      && collections.indices.contains { owner(of: $0) == seat && traits[$0].flags.contains(.isSecret) && count($0) > 0 }
  }

  /// The seat whose turn it is: the one that the variable names, or the next active one after it. `nil` without turns,
  /// or if no seat is taken.
  public var seatToMove: SeatNumber? {
    guard type.turns == .turns, case .number(let turn)? = variable(Self.turnVariable) else { return nil }
    let seats = activeSeats
    return (seats.first { Int64($0.number.rawValue) >= turn } ?? seats.first)?.number
  }

  /// The seat whose turn comes next.
  var seatToMoveNext: SeatNumber? {
    guard let turn = seatToMove else { return nil }
    let seats = activeSeats
    return (seats.first { $0.number > turn } ?? seats.first)?.number
  }

  /// Refuses a spectator, and everyone once the table has ended.
  @inline(__always) func checkParticipation(of seat: SeatNumber) throws(Refusal) {
    guard seat != .spectator else { throw Refusal(.permissionDenied, detail: "spectators cannot submit operations") }
    if type.hasEndings { try checkNotEnded() }
  }

  @inline(never) private func checkNotEnded() throws(Refusal) {
    if hasEnded { throw Refusal(.gameOver, detail: "the table is \(status)") }
  }

  /// Whether the table's status is a final ending.
  package var hasEnded: Bool {
    !status.hasBytes(of: Self.open) && type.endings.contains { $0.isFinal && $0.status.hasBytes(of: status) }
  }

  /// Refuses to touch another seat's collection, and to act when it is another seat's turn.
  ///
  /// - Parameter destination: The collection that items are put in; `nil` for none.
  @inline(__always) func checkRights(
    lifting slots: SlotList, droppingOn destination: Int?, by seat: SeatNumber
  ) throws(Refusal) {
    guard type.hasRights else { return }
    try checkZones(slots, destination, seat)
    guard let turn = seatToMove, turn != seat, !isArranging(slots, destination, seat) else { return }
    if let destination, kind(of: destination).accept.isOutOfTurn { return }
    throw Self.notYourTurn(turn)
  }

  /// Refuses to lift another seat's items, whatever the destination, and, when it is another seat's turn, all but those
  /// that their owner may always reorder.
  func checkRights(lifting slots: SlotList, by seat: SeatNumber) throws(Refusal) {
    guard type.hasRights else { return }
    try checkZones(slots, nil, seat)
    let source = collection(slots[0])
    guard let turn = seatToMove, turn != seat, !isArranging(slots, source, seat) else { return }
    guard !type.kinds.contains(where: \.accept.isOutOfTurn) else { return }
    throw Self.notYourTurn(turn)
  }

  func checkRights(performing action: Action, on slots: SlotList, by seat: SeatNumber) throws(Refusal) {
    guard type.hasRights else { return }
    if action.items == .subject { try checkZones(slots, nil, seat) }
    guard !action.isOutOfTurn, let turn = seatToMove, turn != seat else { return }
    throw Self.notYourTurn(turn)
  }

  private static func notYourTurn(_ turn: SeatNumber) -> Refusal {
    Refusal(.notYourTurn, rule: "turns", detail: "it is the turn of seat \(turn.rawValue)")
  }

  private func checkZones(_ slots: SlotList, _ destination: Int?, _ seat: SeatNumber) throws(Refusal) {
    for slot in slots {
      let collection = collection(slot)
      let rule = kind(of: collection).lift
      guard admits(seat, to: collection, rule.by) else { throw Refusal(.notYourZone, rule: rule.path) }
    }
    guard let destination else { return }
    let rule = kind(of: destination).accept
    guard admits(seat, to: destination, rule.by) else { throw Refusal(.notYourZone, rule: rule.path) }
  }

  private func admits(_ seat: SeatNumber, to collection: Int, _ actor: Access?) -> Bool {
    let owner = owner(of: collection)
    guard owner != .spectator, owner != seat else { return true }
    return (actor ?? (type.turns == .free ? .anyone : .owner)) == .anyone
  }

  /// Returns whether a seat only reorders its own collection.
  private func isArranging(_ slots: SlotList, _ destination: Int?, _ seat: SeatNumber) -> Bool {
    guard let destination, !slots.isEmpty, owner(of: destination) == seat else { return false }
    return slots.allSatisfy { collection($0) == destination }
  }

  // MARK: Disabled collections

  /// Refuses to touch a collection that is disabled.
  @inline(__always) func checkEnabled(_ collection: Int) throws(Refusal) {
    guard collections[collection].isEnabled else { throw Refusal(.containerDisabled) }
  }

  /// Refuses to touch items of a collection that is disabled.
  @inline(__always) func checkEnabled(_ slots: SlotList) throws(Refusal) {
    for slot in slots { try checkEnabled(collection(slot)) }
  }

  /// Refuses a drop on a collection that is disabled, or that redirects to one.
  @inline(__always) func checkEnabled(destination: Int) throws(Refusal) {
    try checkEnabled(destination)
    guard traits(of: destination).flags.contains(.redirects) else { return }
    if let redirect = kind(of: destination).accept.redirect { try checkEnabled(redirect.index) }
  }
}

extension Table {
  /// G5: refuses to touch items that another session drags.
  @inline(__always) func checkClaims(
    _ slots: SlotList, _ request: Request, _ claims: [ItemID: Claim]?
  ) throws(Refusal) {
    guard let claims, !claims.isEmpty else { return }
    for slot in slots {
      guard let claim = claims[state.id(slot)], claim.session != request.author.session,
        state.isClaimed(slot, claim)
      else { continue }
      throw Refusal(.claimed, detail: "another participant drags the item")
    }
  }

  /// G6: refuses an operation on items that others took off the table since the base.
  @inline(__always) func checkPresent(_ items: ResolvedItems) throws(Refusal) {
    if items.wereRemoved { throw Refusal(.contended, detail: "another participant removed the item") }
  }

  /// G10: refuses to take items that others took since the base, if the table type says that the first one wins.
  @inline(__always) func checkContention(_ slots: SlotList, _ request: Request) throws(Refusal) {
    guard state.type.contention == .first else { return }
    for slot in slots {
      let record = state.forest.records.address(of: slot)
      guard record.pointee.placed <= request.base || record.pointee.placedBy == request.author.session else {
        throw Refusal(
          .contended, detail: "another participant moved item \(record.pointee.id.rawValue) meanwhile")
      }
    }
  }
}
