import BaizeSync
import BaizeTable
import BaizeWire

/// The events since the last update, with what a model needs from the state that follows them.
struct ModelUpdate: Sendable {
  /// An item with its offset in its collection.
  struct Row: Sendable {
    let item: Item
    let offset: Int
  }

  /// A collection that the table has.
  struct Known: Sendable {
    let id: String
    let handle: CollectionHandle
    let item: ItemID?
    let kind: CollectionKind
  }

  let changes: [[TableChange]]
  let refusals: [Refusal]
  /// The items of every collection, if everything may have changed.
  private(set) var everything: [[Item]]?
  /// The collections, if there may be others than before.
  private(set) var collections: [Known]?
  /// The items that were inserted, moved or updated.
  private(set) var rows: [Row] = []
  /// The number of items in each collection.
  private(set) var counts: [Int] = []
  private(set) var enabled: [Bool] = []
  private(set) var status: String?
  private(set) var variables: [Attribute] = []
  /// The operations that the daemon has refused, or that changed nothing.
  let withoutEffect: Set<SequenceNumber>
  private(set) var undoScope: UndoHistory.Scope?
  private(set) var seat = SeatNumber.spectator
  private(set) var isHost = false
  private(set) var mayAct = false
  let connection: ConnectionState
  let seats: [Seat]
  let drags: [Drag]
  let presence: [SessionID: [UInt8]]
  let chats: [Chat]
  /// The times at which the time of the turn, and that of the table, will be up.
  let ends: [Instant?]
  let watching: Watching

  /// - Parameter isReload: Whether to read all items, whatever the events are.
  init(_ events: [ClientEvent], _ core: borrowing ClientCore, isReload: Bool = false) {
    changes = events.compactMap { if case .changed(let changes) = $0 { changes } else { nil } }
    refusals = events.compactMap { event in
      if case .answered(let answered) = event, case .refused(let refusal) = answered.answer { refusal } else { nil }
    }
    withoutEffect = Set(
      events.compactMap { event in
        if case .answered(let answered) = event, !answered.answer.hasEffect { answered.operation.sequence } else { nil }
      })
    connection = core.connection
    seats = core.seats
    presence = core.machine.presence
    chats = events.compactMap { if case .chat(let chat) = $0 { chat } else { nil } }
    watching = core.machine.watching
    ends = [core.machine.turnEnd, core.machine.tableEnd]
    drags = core.shownDrags
    // Without a table, between two sessions, the model keeps what it shows.
    guard let replica = core.replica else { return }
    let state = replica.state
    undoScope = UndoHistory.Scope(session: replica.author.session, epoch: replica.epoch)
    seat = replica.author.seat
    isHost = state.hostSeat == replica.author.seat
    mayAct = state.refusalToAct(by: seat) == nil
    let identities = core.identities
    status = state.status
    variables = state.variables
    counts = state.handles.map(state.count)
    enabled = state.handles.map(state.isEnabled)
    if isReload || changes.contains(where: { $0.contains(where: \.changesCollections) }) {
      collections = Known.all(in: state, identities)
      everything = state.handles.map { identities.shown(state.items(in: $0, from: 0, limit: .max)) }
    } else {
      rows = Set(changes.joined().compactMap(\.shownItem)).compactMap { id in
        let tableID = identities.tableID(of: id, in: state)
        guard let item = state.item(tableID), let offset = state.offset(of: tableID) else { return nil }
        return Row(item: identities.shown(item), offset: offset)
      }
    }
  }
}

extension Answer {
  /// Whether the operation took effect.
  fileprivate var hasEffect: Bool {
    switch self {
    case .accepted, .acceptedBefore, .invited: true
    case .unchanged, .refused, .unknown: false
    }
  }
}

extension ModelUpdate.Known {
  /// Returns the collections of a table, in handle order.
  static func all(in state: TableState, _ identities: ItemIdentities) -> [Self] {
    state.handles.map { handle in
      let item = state.opener(of: handle)
      return Self(
        id: state.rules(of: handle).id, handle: handle, item: item == .none ? nil : identities.localID(of: item),
        kind: state.kind(of: handle))
    }
  }
}

extension TableChange {
  /// Whether the table may have other collections after this change.
  fileprivate var changesCollections: Bool {
    switch self {
    case .renamedCollection, .opened, .closed, .reloaded: true
    case .inserted, .removed, .moved, .updated, .renamed, .status, .variables, .seats, .enabled, .counted: false
    }
  }

  /// The item that must be read again after this change.
  fileprivate var shownItem: ItemID? {
    switch self {
    case .inserted(let item, _), .moved(let item, _, _), .updated(let item): item
    case .removed, .renamed, .renamedCollection, .status, .variables, .seats, .enabled, .counted, .opened, .closed,
      .reloaded:
      nil
    }
  }
}
