/// Hovering: a reorder is planned on the present state, with no diff unseen and no operation remembered, and not applied.
extension TableState {
  /// Returns the rules' verdict on a drop, for a user interface that shows it while the items hover. Nothing changes.
  ///
  /// - Parameters:
  ///   - difference: The drop; ids and anchors that are not on the table are refused.
  ///   - suggested: The operations that the drag offers; empty for all that the collection offers.
  ///   - seat: The author; a rule that would read a face hidden from it refuses with `FACE_HIDDEN`.
  ///   - claims: The claims on dragged items, if the table type enforces them; `nil` for none.
  /// - Complexity: O(k log n) for k sources, plus the cost of the rules.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = [], by seat: SeatNumber,
    claims: [ItemID: Claim]? = nil
  ) -> DropConfiguration {
    verdicts(on: CollectionOfOne(difference.destination), of: difference.sources, suggested, seat, claims)[0]
  }

  /// Returns whether a drop would be a move of items to where they are.
  ///
  /// - Complexity: O(k log n) for k sources.
  package func isInPlace(_ difference: ReorderDifference, suggested: DropOperation.Set) -> Bool {
    let slots = SlotList(difference.sources.map { index.slot(of: $0) })
    let collection = index(of: difference.destination)
    let named = difference.destination.position.anchor
    let anchor = index.slot(of: named)
    guard collection >= 0, !slots.isEmpty, slots.allSatisfy({ $0 >= 0 }), redirectTarget(of: collection) == nil,
      named == .none || (anchor >= 0 && self.collection(anchor) == collection),
      operation(of: slots, on: collection, suggested: suggested) == .move
    else { return false }
    return isInPlace(slots, before: firstStaying(from: anchor, SlotSet(slots)), in: collection)
  }

  /// Returns whether a drop would leave its sources where they are.
  package func keepsSources(_ difference: ReorderDifference, suggested: DropOperation.Set) -> Bool {
    guard type.allowsCopies || type.offersAliases else { return false }
    let slots = SlotList(difference.sources.map { index.slot(of: $0) })
    let collection = index(of: difference.destination)
    guard collection >= 0, !slots.isEmpty, slots.allSatisfy({ $0 >= 0 }) else { return false }
    return operation(of: slots, on: collection, suggested: suggested)?.keepsSources ?? false
  }

  /// Returns the verdict of every collection on a drop of `sources` at its end, in handle order.
  ///
  /// - Complexity: O(k log n + c k) for k sources and c collections, plus the cost of the rules.
  public func dropConfigurations(
    for sources: ItemList, suggested: DropOperation.Set = [], by seat: SeatNumber, claims: [ItemID: Claim]? = nil
  ) -> [(collection: CollectionHandle, configuration: DropConfiguration)] {
    let handles = Array(handles)
    return Array(
      zip(handles, verdicts(on: handles.lazy.map(Destination.end), of: sources, suggested, seat, claims)))
  }

  private func verdicts(
    on destinations: some Collection<Destination>, of sources: ItemList, _ suggested: DropOperation.Set,
    _ seat: SeatNumber, _ claims: [ItemID: Claim]?
  ) -> [DropConfiguration] {
    let (table, request) = hover(by: seat)
    do throws(Refusal) {
      let items = try table.resolve(sources, request, AuthorMemory())
      return destinations.map { destination in
        do throws(Refusal) {
          let landing = try table.landing(destination, of: items.slots, request, AuthorMemory())
          let drop = try table.planDrop(
            of: items, on: landing, suggested, sources.count, request, AuthorMemory(), claims
          ).drop
          return DropConfiguration(drop, of: sources.count, at: self)
        } catch {
          return .forbidden(error)
        }
      }
    } catch {
      return destinations.map { _ in .forbidden(error) }
    }
  }

  /// Returns why `seat` may not lift some items together at present, whatever the destination; `nil` if it may.
  ///
  /// The rules of a destination are not considered.
  ///
  /// - Parameters:
  ///   - items: The items.
  ///   - seat: The participant that lifts them.
  ///   - claims: The claims on dragged items, if the table type enforces them; `nil` for none.
  /// - Complexity: O(k log n) for k items, plus the cost of the rules.
  public func refusalToLift(
    _ items: ItemList, by seat: SeatNumber, claims: [ItemID: Claim]? = nil
  ) -> Refusal? {
    let (table, request) = hover(by: seat)
    do throws(Refusal) {
      let slots = try table.resolve(items, request, AuthorMemory()).slots
      try checkParticipation(of: seat)
      try checkRights(lifting: slots, by: seat)
      try checkEnabled(slots)
      try table.checkClaims(slots, request, claims)
      try checkLift(slots, base: revision, author: request.author.session, seat: seat)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the rules' verdict on inserting items whose contents are not known yet, such as those that hover over a
  /// collection and come from elsewhere. Conditions on contents are left to the insertion itself.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - destination: The gap that they hover over.
  ///   - seat: The participant that inserts them.
  public func dropConfiguration(
    inserting count: Int, at destination: Destination, by seat: SeatNumber
  ) -> DropConfiguration {
    let (table, request) = hover(by: seat)
    guard count <= table.itemsPerOperationMax else { return .forbidden(Refusal(.tooManyItems)) }
    do throws(Refusal) {
      var drop = try table.arrive(max(1, count), at: destination, request, AuthorMemory()).drop
      try land(&drop, SlotSet([]), seat)
      if let capacity = kind(of: drop.collection).accept.capacity {
        drop.acceptedCount = try accepted(drop.acceptedCount, by: capacity, in: drop.collection) { _ in true }
      }
      return DropConfiguration(drop, of: max(1, count), at: self)
    } catch {
      return .forbidden(error)
    }
  }

  /// Returns the reason why `seat` may do nothing at present: it is a spectator's, or the table has ended; `nil` if it may act.
  public func refusalToAct(by seat: SeatNumber) -> Refusal? {
    do throws(Refusal) {
      try checkParticipation(of: seat)
      return nil
    } catch {
      return error
    }
  }

  /// Returns a table at this state, and the request of a seat that has seen all of it. The table is an authority: a
  /// replica may offer a drop whose consequences it cannot predict.
  private func hover(by seat: SeatNumber) -> (Table, Request) {
    let session = seats.first { $0.number == seat }?.person ?? .daemon
    return (
      Table(restoring: self, random: RandomSource(seed: 0)),
      Request(author: Author(session: session, seat: seat), sequence: .zero, base: revision)
    )
  }
}

extension DropConfiguration {
  /// Creates the verdict on a drop of `count` items that the rules allow.
  fileprivate init(_ drop: Drop, of count: Int, at state: TableState) {
    let landing = Destination(
      collection: state.handle(drop.collection), position: Position(anchor: state.id(drop.anchor)))
    self.init(
      operation: drop.operation, destination: drop.isRedirected ? landing : nil,
      acceptedItemCount: drop.acceptedCount < count ? drop.acceptedCount : nil)
  }
}
