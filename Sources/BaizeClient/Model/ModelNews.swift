import BaizeSync
import BaizeTable
import BaizeWire

/// What happened, and what is to be read of the state that it leads to, both of one moment.
struct ModelNews: Sendable {
  /// A row as the state has it.
  struct Row: Sendable {
    let item: Item
    let offset: Int
  }

  let changes: [[TableChange]]
  let refusals: [Refusal]
  /// All items of all collections, where everything may have changed.
  private(set) var everything: [[Item]]?
  /// The rows that are new, moved or updated.
  private(set) var rows: [Row] = []
  /// How many items each collection has.
  private(set) var counts: [Int] = []
  private(set) var enabled: [Bool] = []
  private(set) var status: String?
  private(set) var variables: [Attribute] = []
  let connection: ConnectionState
  let seats: [Seat]
  let drags: [Drag]

  /// - Parameter isReload: Whether everything is to be read, whatever the events say.
  init(_ events: [ClientEvent], _ core: borrowing ClientCore, isReload: Bool = false) {
    changes = events.compactMap { if case .changed(let changes) = $0 { changes } else { nil } }
    refusals = events.compactMap { event in
      if case .answered(let answered) = event, case .refused(let refusal) = answered.answer { refusal } else { nil }
    }
    connection = core.connection
    seats = core.seats
    drags = core.drags.values.sorted { $0.session < $1.session }
    // Without a table (its session is gone, another will come) what was last shown stays.
    guard let state = core.replica?.state else { return }
    status = state.status
    variables = state.variables
    counts = state.handles.map(state.count)
    enabled = state.handles.map(state.isEnabled)
    if isReload || changes.contains(where: { $0.contains(.reloaded) }) {
      everything = state.handles.map { state.items(in: $0, from: 0, limit: .max) }
    } else {
      rows = Set(changes.joined().compactMap(\.shownItem)).compactMap { id in
        guard let item = state.item(id), let offset = state.offset(of: id) else { return nil }
        return Row(item: item, offset: offset)
      }
    }
  }
}

extension TableChange {
  /// The item whose row is to be read anew.
  fileprivate var shownItem: ItemID? {
    switch self {
    case .inserted(let item, _), .moved(let item, _, _), .updated(let item), .renamed(_, let item): item
    case .removed, .status, .variables, .seats, .enabled, .counted, .reloaded: nil
    }
  }
}
