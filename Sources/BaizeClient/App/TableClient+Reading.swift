import BaizeSync
public import BaizeTable
public import BaizeWire

// What an app reads: the visible state, one's own unanswered operations included. Each call sees one moment; the table
// may go on between two of them.
extension TableClient {
  // MARK: The table

  /// Reads whatever is wanted of one moment of the table.
  ///
  /// A lock is held meanwhile: be brief, and call nothing of this client. Keeping the state itself is cheap to begin
  /// with, and makes the next change of a large table copy what it touches.
  ///
  /// - Returns: `nil` where there is no table.
  public func read<Value: Sendable>(_ body: (TableState) -> Value) -> Value? {
    shared.read { core in core.replica.map { body($0.state) } }
  }

  /// All collections, in the table type's order.
  public var collections: [CollectionSummary] {
    read { state in
      zip(state.handles, state.type.collections).map { handle, rules in
        CollectionSummary(
          handle: handle, id: rules.id, count: UInt32(clamping: state.count(in: handle)),
          isEnabled: state.isEnabled(handle))
      }
    } ?? []
  }

  /// The short name of a collection, as destinations use it.
  public func handle(of collection: String) -> CollectionHandle? { shared.read { $0.handles[collection] } }

  /// How many items there are in a collection; 0 where there is no such collection.
  public func count(in collection: String) -> Int {
    shared.read { core in
      core.handles[collection].flatMap { handle in core.replica?.state.count(in: handle) } ?? 0
    }
  }

  /// The items of a collection in order, with their faces, as far as they may be seen.
  ///
  /// - Parameter range: Of offsets; what lies outside of the collection is left out.
  /// - Complexity: O(log n + number of items returned).
  public func items(in collection: String, _ range: Range<Int> = 0..<Int.max) -> [Item] {
    shared.read { core in
      guard let handle = core.handles[collection], let state = core.replica?.state else { return [] }
      let range = range.clamped(to: 0..<Int.max)
      return state.items(in: handle, from: range.lowerBound, limit: range.count)
    }
  }

  /// The ids of a collection in order.
  ///
  /// - Complexity: O(n).
  public func itemIDs(in collection: String) -> [ItemID] {
    shared.read { core in
      core.handles[collection].flatMap { handle in core.replica?.state.itemIDs(in: handle) } ?? []
    }
  }

  /// An item, wherever it is.
  public func item(_ id: ItemID) -> Item? { shared.read { $0.replica?.state.item(id) } }

  /// `open`, or how the game ended.
  public var status: String { shared.read { $0.replica?.state.status ?? TableState.open } }

  /// The table type, once joined.
  public var tableType: TableType? { shared.read { $0.replica?.state.type } }

  /// The last revision of the daemon's that was applied.
  public var revision: Revision { shared.read { $0.replica?.confirmedRevision ?? .zero } }

  /// How many operations wait for their answers.
  public var unansweredCount: Int { shared.read { $0.replica?.pending.count ?? 0 } }

  // MARK: Who is here

  /// This client's own session.
  public var session: SessionID? { shared.read { $0.machine.welcome?.session } }

  /// This client's seat; ``SeatNumber/spectator`` for none.
  public var seat: SeatNumber { shared.read { $0.replica?.author.seat ?? .spectator } }

  /// Whether this client has the rights of the table's host: of those that sit, it came first.
  public var isHost: Bool {
    shared.read { core in core.replica.map { $0.state.host == $0.author.session } ?? false }
  }

  /// The last invite for players that this client got: to join with, as the table's creator, or as its host. Empty for
  /// none. Whoever knows it can join, so it is told to nobody else.
  public var invite: String { shared.read { $0.machine.invite } }

  /// Who sits where, and who is connected.
  public var seats: [Seat] { shared.read { $0.seats } }

  /// What others hold, in the order of their sessions.
  public var drags: [Drag] {
    shared.read { core in core.drags.values.sorted { $0.session < $1.session } }
  }

  // MARK: Hovering

  /// The rules' verdict on a drop, while the finger is still down: answered here, without asking the daemon.
  ///
  /// The daemon may know more (another's move that is still under way), and has the last word.
  public func dropConfiguration(
    for difference: ReorderDifference, suggested: DropOperation.Set = []
  ) -> DropConfiguration {
    shared.read { core in
      guard let replica = core.replica else { return .forbidden(Refusal(.notJoined)) }
      return replica.state.dropConfiguration(for: difference, suggested: suggested, by: replica.author.seat)
    }
  }

  /// Where some items may go: every collection whose rules would take them at its end, with the verdict.
  ///
  /// - Returns: Nothing where the items may not be lifted together.
  /// - Complexity: O(c k log n) for c collections and k items, and what the rules cost.
  public func legalDestinations(
    for items: [ItemID], suggested: DropOperation.Set = []
  ) -> [LegalDestination] {
    shared.read { core in
      guard let replica = core.replica else { return [] }
      let state = replica.state
      let verdicts = state.dropConfigurations(for: ItemList(items), suggested: suggested, by: replica.author.seat)
      return zip(verdicts, state.type.collections).compactMap { verdict, rules in
        guard verdict.configuration.operation != .forbidden else { return nil }
        return LegalDestination(
          id: rules.id, collection: verdict.collection, configuration: verdict.configuration)
      }
    }
  }
}

/// A collection that would take what is held.
public struct LegalDestination: Hashable, Sendable, Identifiable {
  /// The collection's name, such as `pile/3`.
  public let id: String
  public let collection: CollectionHandle
  /// What a drop there would do: with how many of the items, and perhaps landing elsewhere.
  public let configuration: DropConfiguration
}
