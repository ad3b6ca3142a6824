import BaizeSync
public import BaizeTable
public import BaizeWire

// The visible state: the daemon's state with this client's pending operations applied. Each call reads one consistent
// state; the table may change between two calls.
extension TableClient {
  // MARK: State

  /// Reads several values from one consistent state.
  ///
  /// `body` runs under a lock: it must be brief and must not call this client. Returning the state itself is cheap, but
  /// makes the next change copy the parts of the state that it modifies. Items have the daemon's ids there
  /// (``tableID(of:)``), which operations take as well.
  ///
  /// - Parameter body: Reads the state.
  /// - Returns: The value of `body`; `nil` if the client has no table yet.
  public func read<Value: Sendable>(_ body: (TableState) -> Value) -> Value? {
    shared.read { core in core.replica.map { body($0.state) } }
  }

  /// The table's collections, in the order of the table type.
  public var collections: [CollectionSummary] {
    read { state in
      state.handles.map(state.summary)
    } ?? []
  }

  /// Returns the handle of a collection, which destinations refer to.
  ///
  /// - Parameter collection: The collection's name, such as `pile/3`.
  /// - Returns: The handle; `nil` if the table has no such collection.
  public func handle(of collection: String) -> CollectionHandle? { shared.read { $0.handles[collection] } }

  /// Returns the name of a collection, such as `pile/3`.
  ///
  /// - Parameter handle: The collection's handle, for example of a destination or a change.
  /// - Returns: The name; `nil` if the table has no such collection.
  public func name(of handle: CollectionHandle) -> String? {
    shared.read { core in
      guard let state = core.replica?.state, state.isKnown(handle) else { return nil }
      return state.rules(of: handle).id
    }
  }

  /// The collections with their items, all at one moment.
  var contents: [(collection: CollectionSummary, items: [Item])] {
    shared.read { core in
      guard let state = core.replica?.state else { return [] }
      return state.handles.map { handle in
        (state.summary(of: handle), core.identities.shown(state.items(in: handle, from: 0, limit: .max)))
      }
    }
  }

  /// Returns the number of items in a collection; 0 if the table has no such collection.
  public func count(in collection: String) -> Int {
    shared.read { core in
      core.handles[collection].flatMap { handle in core.replica?.state.count(in: handle) } ?? 0
    }
  }

  /// Returns items of a collection in order, with the faces this client may see.
  ///
  /// - Parameters:
  ///   - collection: The collection's name, such as `pile/3`.
  ///   - range: The offsets to return; offsets outside of the collection are ignored.
  /// - Complexity: O(log n) plus the number of items returned.
  public func items(in collection: String, _ range: Range<Int> = 0..<Int.max) -> [Item] {
    shared.read { core in
      guard let handle = core.handles[collection], let state = core.replica?.state else { return [] }
      let range = range.clamped(to: 0..<Int.max)
      return core.identities.shown(state.items(in: handle, from: range.lowerBound, limit: range.count))
    }
  }

  /// Returns the ids of a collection's items in order.
  ///
  /// - Complexity: O(n).
  public func itemIDs(in collection: String) -> [ItemID] {
    shared.read { core in
      (core.handles[collection].flatMap { handle in core.replica?.state.itemIDs(in: handle) } ?? [])
        .map(core.identities.localID)
    }
  }

  /// Returns an item, in whatever collection it is; `nil` if the table has no such item or this client may not see it.
  ///
  /// - Parameter id: The item's id, or the daemon's id of an item that this client has created.
  public func item(_ id: ItemID) -> Item? { shared.read { $0.item(id) } }

  /// Returns the item with a key; `nil` if there is none, or if the table type has no keys.
  ///
  /// - Parameter key: The value of the attribute that the table type calls its `key`.
  /// - Complexity: O(1) expected.
  public func item(forKey key: AttributeValue) -> Item? {
    shared.read { core in core.replica?.state.item(forKey: key).flatMap(core.item) }
  }

  /// Returns the daemon's id of an item, by which other clients know it: to store it, or to send it to them.
  ///
  /// It differs from the item's id in this client only if this client has created the item; it is a provisional id then
  /// until the daemon has answered.
  public func tableID(of item: ItemID) -> ItemID { shared.read { $0.identities.tableID(of: item) } }

  /// The table's status: `open`, or the result with which the game ended.
  public var status: String { shared.read { $0.replica?.state.status ?? TableState.open } }

  /// The table type; `nil` before the client has joined.
  public var tableType: TableType? { shared.read { $0.replica?.state.type } }

  /// The last revision of the daemon that this client has applied.
  public var revision: Revision { shared.read { $0.replica?.confirmedRevision ?? .zero } }

  /// The number of operations that the daemon has not acknowledged.
  public var pendingCount: Int { shared.read { $0.replica?.pending.count ?? 0 } }

  // MARK: Participants

  /// This client's session; `nil` before the daemon's welcome.
  public var session: SessionID? { shared.read { $0.machine.welcome?.session } }

  /// This client's seat; `SeatNumber.spectator` if it has none.
  public var seat: SeatNumber { shared.read { $0.replica?.author.seat ?? .spectator } }

  /// Whether this client's person is the table's host: of those who have a seat and are not absent, the one who joined first.
  public var isHost: Bool {
    shared.read { core in core.replica.map { $0.state.hostSeat == $0.author.seat } ?? false }
  }

  /// The last invite for players that this client received, as the table's creator or host; empty if none.
  ///
  /// The invite is a secret: anyone who has it can join.
  public var invite: String { shared.read { $0.machine.invite } }

  /// The occupied seats, with their participants' names and whether they are connected.
  public var seats: [Seat] { shared.read { $0.seats } }

  /// The drags of other participants, ordered by session.
  public var drags: [Drag] {
    shared.read { $0.shownDrags }
  }

  /// Who watches: how many people, and who of them asks for a seat. It is up to date within some two seconds.
  public var watching: Watching { shared.read { $0.machine.watching } }

  /// The time that is left of the turn and of the table; `nil` where none runs. When it is up, an event `.countdown` says so.
  public var timeLeft: (turn: Duration?, table: Duration?) {
    let ends = shared.read { (turn: $0.machine.turnEnd, table: $0.machine.tableEnd) }
    let now = Instant.now
    return (ends.turn?.duration(since: now), ends.table?.duration(since: now))
  }

  /// The other participants' own values of presence, by session.
  public var presence: [SessionID: [UInt8]] { shared.read { $0.machine.presence } }

  // MARK: Hovering

  /// Returns the local rules' verdict on a drop, for use while the user hovers. It does not ask the daemon.
  ///
  /// The daemon may decide differently when another participant's operation reaches it first.
  ///
  /// - Parameters:
  ///   - difference: The items and their destination.
  ///   - suggested: The operations the drag offers; empty for all that the items' collection offers.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    shared.read { core in
      guard let replica = core.replica else { return .forbidden(Refusal(.notJoined)) }
      return core.identities.shown(
        replica.state.dropConfiguration(
          for: core.identities.sent(difference), suggested: suggested, by: replica.author.seat, claims: core.claims))
    }
  }

  /// Returns the collections that would accept some items at their end, each with the rules' verdict.
  ///
  /// - Parameters:
  ///   - items: The items that are dragged together.
  ///   - suggested: The operations the drag offers; empty for all that the items' collection offers.
  /// - Returns: The collections in the table type's order; empty if the items may not be lifted together.
  /// - Complexity: O(c k log n) for c collections and k items, plus the cost of the rules.
  public func legalDestinations(
    for items: [ItemID], suggested: DropOperation.Set = []
  ) -> [LegalDestination] {
    shared.read { core in
      guard let replica = core.replica else { return [] }
      let state = replica.state
      let verdicts = state.dropConfigurations(
        for: core.identities.sent(ItemList(items)), suggested: suggested, by: replica.author.seat, claims: core.claims)
      return verdicts.compactMap { verdict in
        guard verdict.configuration.operation != .forbidden else { return nil }
        return LegalDestination(
          id: state.rules(of: verdict.collection).id, collection: verdict.collection,
          configuration: core.identities.shown(verdict.configuration))
      }
    }
  }
}

extension TableState {
  fileprivate func summary(of handle: CollectionHandle) -> CollectionSummary {
    CollectionSummary(
      handle: handle, id: rules(of: handle).id, count: UInt32(clamping: count(in: handle)),
      isEnabled: isEnabled(handle))
  }
}

/// A collection that would accept the dragged items.
public struct LegalDestination: Hashable, Sendable, Identifiable {
  /// The collection's name, such as `pile/3`.
  public let id: String
  /// The collection's handle, for a `Destination`.
  public let collection: CollectionHandle
  /// The verdict on a drop at the collection's end, including the number of accepted items and a redirection.
  public let configuration: DropConfiguration
}
