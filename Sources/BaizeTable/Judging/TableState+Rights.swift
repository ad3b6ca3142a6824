/// Who may act where and when.
extension TableState {
  /// The variable that says whose turn it is, where the table type has turns.
  public static let turnVariable = "turn"

  /// The seat whose turn it is: the one that the variable names, or the next taken one after it. `nil` where there are no
  /// turns, or nobody sits.
  public var seatToMove: SeatNumber? {
    guard type.turns == .turns, case .number(let turn)? = variable(Self.turnVariable) else { return nil }
    return (seats.first { Int64($0.number.rawValue) >= turn } ?? seats.first)?.number
  }

  /// The seat that has the turn after the present one.
  var seatToMoveNext: SeatNumber? {
    guard let turn = seatToMove else { return nil }
    return (seats.first { $0.number > turn } ?? seats.first)?.number
  }

  /// Refuses whoever only watches, and everyone when all is over.
  @inline(__always) func checkStanding(of seat: SeatNumber) throws(Refusal) {
    guard seat != .spectator else { throw Refusal(.permissionDenied, detail: "spectators only watch") }
    if status != Self.open, type.endings.contains(where: { $0.status == status && $0.isFinal }) {
      throw Refusal(.gameOver, detail: "the table is \(status)")
    }
  }

  /// Refuses to touch what is another seat's, and to act when it is another seat's turn.
  ///
  /// - Parameter destination: Where items are put; `nil` if nowhere.
  @inline(__always) func checkRights(
    lifting slots: SlotList, droppingOn destination: Int?, by seat: SeatNumber
  ) throws(Refusal) {
    guard type.hasRights else { return }
    try checkZones(slots, destination, seat)
    guard let turn = seatToMove, turn != seat, !isArranging(slots, destination, seat) else { return }
    throw Self.notYourTurn(turn)
  }

  /// Refuses to lift, for whatever end, what is another seat's; and when it is another seat's turn, all but what its owner
  /// may put in order at any time.
  func checkRights(lifting slots: SlotList, by seat: SeatNumber) throws(Refusal) {
    guard type.hasRights else { return }
    try checkZones(slots, nil, seat)
    let source = Int(records[slots[0]].collection)
    guard let turn = seatToMove, turn != seat, !isArranging(slots, source, seat) else { return }
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
      let collection = Int(records[slot].collection)
      let rule = kind(of: collection).lift
      guard admits(seat, to: collection, rule.by) else { throw Refusal(.notYourZone, rule: rule.path) }
    }
    guard let destination else { return }
    let rule = kind(of: destination).accept
    guard admits(seat, to: destination, rule.by) else { throw Refusal(.notYourZone, rule: rule.path) }
  }

  private func admits(_ seat: SeatNumber, to collection: Int, _ actor: Access?) -> Bool {
    let owner = type.collections[collection].owner
    guard owner != .spectator, owner != seat else { return true }
    return (actor ?? (type.turns == .free ? .anyone : .owner)) == .anyone
  }

  /// Whether someone only puts the own collection in order.
  private func isArranging(_ slots: SlotList, _ destination: Int?, _ seat: SeatNumber) -> Bool {
    guard let destination, !slots.isEmpty, type.collections[destination].owner == seat else { return false }
    return slots.allSatisfy { Int(records[$0].collection) == destination }
  }

  /// Refuses what would touch a collection that is out of use.
  func checkEnabled(_ collection: Int) throws(Refusal) {
    guard collections[collection].isEnabled else { throw Refusal(.containerDisabled) }
  }

  /// Refuses a drop on a collection that is out of use, or that sends drops on to one.
  func checkEnabled(destination: Int) throws(Refusal) {
    try checkEnabled(destination)
    if let redirect = kind(of: destination).accept.redirect { try checkEnabled(redirect.index) }
  }
}

extension Table {
  /// Gives the turn to the next taken seat.
  mutating func passTurn(_ judging: inout Judging) {
    guard let next = state.seatToMoveNext else { return }
    let turn = Attribute(TableState.turnVariable, Int64(next.rawValue))
    guard turn.value != state.variable(turn.name) else { return }
    set(turn, &judging)
  }
}
