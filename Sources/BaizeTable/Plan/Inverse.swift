/// G13: the inverse of an operation.
struct Inverse: Sendable {
  /// Items that return to one gap, in their order there.
  struct Return: Sendable {
    var items: ItemList
    /// The numbers of the positions behind which they return (N5).
    var positions: [Int]
    let collection: Int
  }

  let revision: Revision
  /// The items to put back, in the order in which they return.
  var returns: [Return] = []
  /// Items that left the table, with their former appearance.
  var ended: [ItemID: UndoWindow.Appearance] = [:]
  /// Items that were made, and items that were moved: both leave their present positions.
  var made = SlotList()
  var moved = SlotList()
  /// Items whose appearance changed, the last change first.
  var changed: [(item: ItemID, appearance: UndoWindow.Appearance)] = []
  var variables: [Attribute] = []
  var status: String?
  /// All items that the operation touched.
  var items: Set<ItemID> = []
}

extension Table {
  /// Returns the inverse of an operation of the author's, or refuses if it is not known any more.
  func inverse(
    of target: SequenceNumber, _ request: Request, _ memory: AuthorMemory
  ) throws(Refusal) -> Inverse {
    guard target > .zero, target < request.sequence else {
      throw Refusal(.undoTooLate, detail: "the operation to undo does not exist")
    }
    guard !memory.isRefused(target) else {
      throw Refusal(.dependsOnRefused, detail: "the operation to undo was refused")
    }
    guard let operation = undos.operation(target, of: request.author.session) else {
      throw tooLate("the operation is no longer recorded, or revealed or hid something")
    }
    guard operation.revision > memory.seatedAt else { throw tooLate("the session has another seat since") }
    guard !operation.isUndone else { throw tooLate("the operation is already undone") }
    guard history.isUniform || history.takeOuts(since: operation.revision).count <= historyLimits.undoTakeOutsMax else {
      throw tooLate("too many items were moved since")
    }
    var inverse = Inverse(revision: operation.revision)
    let base = Revision(rawValue: operation.revision.rawValue - 1)
    let seat = request.seat
    var made: [Int32] = []
    let notes = undos.notes(since: base, through: operation.revision)
    let takeOuts = history.takeOuts(since: base).prefix { $0.revision == operation.revision }
    inverse.items.reserveCapacity(max(notes.count, takeOuts.count))
    if notes.count > 1 { inverse.ended.reserveCapacity(notes.count) }
    for dated in notes.reversed() {
      switch dated.note {
      case .made(let item):
        inverse.items.insert(item)
        made.append(state.slot(of: item, for: seat))
      case .ended(let item, let appearance):
        inverse.items.insert(item)
        inverse.ended[item] = appearance
      case .changed(let item, let appearance):
        inverse.items.insert(item)
        inverse.changed.append((item, appearance))
      case .variable(let variable): inverse.variables.append(variable)
      case .status(let status): inverse.status = status
      }
    }
    inverse.made = SlotList(made.reversed())
    for takeOut in takeOuts where inverse.items.insert(takeOut.item).inserted {
      inverse.moved.append(state.slot(of: takeOut.item, for: seat))
    }
    inverse.returns = try returns(of: takeOuts, inverse.ended)
    let reopened = Set(inverse.ended.values.map(\.opens))
    guard inverse.returns.allSatisfy({ !state.isGone($0.collection) || reopened.contains(Int32($0.collection)) }) else {
      throw tooLate("a collection that its items came from was removed")
    }
    try checkPresence(of: inverse, seat)
    return inverse
  }

  /// Returns the gaps to which items return, from behind. An item that was taken out several times returns to where it was first.
  private func returns(
    of takeOuts: ArraySlice<History.TakeOut>, _ ended: [ItemID: UndoWindow.Appearance]
  ) throws(Refusal) -> [Inverse.Return] {
    var left: [(item: ItemID, number: Int, collection: Int)] = []
    var items: Set<ItemID> = []
    for index in takeOuts.indices where items.insert(takeOuts[index].item).inserted {
      let (item, number) = (takeOuts[index].item, history.firstNumber + index)
      let slot = state.index.slot(of: item)
      let latest = latestTakeOut(of: item, slot, since: takeOuts[index].placed)
      guard case .vacancy(let standing) = standing(number, slot, latest) else {
        throw tooLate("the positions that its items left are forgotten")
      }
      left.append((item, standing, Int(takeOuts[index].collection)))
    }
    if left.count > 1 {
      left.sort { one, two in
        guard one.collection == two.collection else { return one.collection < two.collection }
        return one.number != two.number && isInFront(.vacancy(one.number), of: .vacancy(two.number))
      }
    }
    var returns: [Inverse.Return] = []
    var owner: Int32 = -1
    for (item, number, collection) in left {
      let behind = history.index(of: number).map(history.owner) ?? -1
      if let last = returns.last, last.collection == collection, owner == behind,
        (ended[last.items[0]] == nil) == (ended[item] == nil)
      {
        returns[returns.count - 1].items.append(item)
        returns[returns.count - 1].positions.append(number)
      } else {
        returns.append(Inverse.Return(items: .one(item), positions: [number], collection: collection))
      }
      owner = behind
    }
    return returns.reversed()
  }

  /// Refuses to undo changes that the author, having another seat now, may no longer see.
  private func checkPresence(of inverse: Inverse, _ seat: SeatNumber) throws(Refusal) {
    let isThere =
      inverse.moved.allSatisfy { $0 >= 0 } && inverse.made.allSatisfy { $0 >= 0 }
      && inverse.changed.allSatisfy { inverse.ended[$0.item] != nil || state.slot(of: $0.item, for: seat) >= 0 }
      && inverse.returns.allSatisfy { state.isVisible($0.collection, to: seat) }
      && inverse.returns.allSatisfy { back in
        back.items.allSatisfy { inverse.ended[$0] == nil || state.index.slot(of: $0) < 0 }
      }
    guard isThere else { throw tooLate("the items that it changed are not visible") }
  }
}
