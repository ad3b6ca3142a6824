import BaizeTable
import BaizeTableTypes
import BaizeWire

/// A real table that is played on while its messages are recorded.
struct Game {
  var table: Table
  var recorder: StateRecorder
  /// Whose view is recorded.
  private let viewer: SeatNumber
  private var memories: [UInt64: AuthorMemory] = [:]
  private var sequences: [UInt64: UInt64] = [:]

  init(_ type: String, seed: UInt64, viewer: SeatNumber = .spectator) throws {
    self.viewer = viewer
    let type = try TableTypeLibrary.bundled.tableType(type)
    table = Table(type: type, random: RandomSource(seed: seed))
    recorder = StateRecorder(type: type)
    recorder.record("the snapshot", [.snapshot(Self.snapshot(of: table.state, for: viewer))], authority: &table, viewer)
    for number in 1...2 as ClosedRange<UInt64> {
      let seat = Seat(
        number: SeatNumber(rawValue: UInt32(number)), name: number == 1 ? "Ada" : "Bo",
        person: SessionID(rawValue: number))
      recorder.record(
        "\(seat.name) takes a seat", [.diff(table.seat(table.state.seats + [seat]))], authority: &table, viewer)
    }
  }

  /// Judges an operation on the present state and records the diff; what is not accepted makes none.
  mutating func play(_ kind: TableOperation.Kind, by session: UInt64 = 1) {
    let sequence = (sequences[session] ?? 0) + 1
    sequences[session] = sequence
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: sequence), base: table.state.revision, epoch: Epoch(rawValue: 1), kind: kind)
    let author = Author(session: SessionID(rawValue: session), seat: SeatNumber(rawValue: UInt32(session)))
    guard
      case .accepted(let diff) = table.judge(operation, by: author, memory: &memories[session, default: AuthorMemory()])
    else { return }
    recorder.record(Self.name(of: kind), [.diff(diff.view(for: viewer))], authority: &table, viewer)
  }

  /// A legal move of a random item, or a draw.
  func pick(_ random: inout RandomSource, draws: Bool) -> TableOperation.Kind {
    for _ in 0..<60 where !draws {
      let handles = table.state.handles
      let from = handles[Int(random.next(below: UInt64(handles.count)))]
      guard table.state.count(in: from) > 0 else { continue }
      let index = Int(random.next(below: UInt64(table.state.count(in: from))))
      let sources = ItemList(table.state.itemIDs(in: from)[index...].prefix(table.state.type.name == "grid" ? 2 : 13))
      let to = handles[Int(random.next(below: UInt64(handles.count)))]
      let difference = ReorderDifference(sources: sources, destination: .end(of: to))
      let verdict = table.state.dropConfiguration(for: difference, by: SeatNumber(rawValue: 1))
      if verdict.operation == .move, from != to { return .reorder(difference, suggested: []) }
    }
    return .perform(action: "draw", items: table.contendedItems(of: "draw", by: SeatNumber(rawValue: 1)), nil)
  }

  /// What a player does at once in a game of cards: a draw, a card somewhere else, one's hand put in order.
  func turn(of seat: SeatNumber, _ random: inout RandomSource) -> [TableOperation.Kind] {
    let state = table.state
    var kinds: [TableOperation.Kind] = []
    if random.next(below: 3) == 0 {
      for action in state.type.actions {
        kinds.append(.perform(action: action.name, items: table.contendedItems(of: action.name, by: seat), nil))
      }
    }
    for _ in 0..<100 {
      let from = state.handles[Int(random.next(below: UInt64(state.handles.count)))]
      let items = state.isVisible(from, to: seat) ? state.itemIDs(in: from) : []
      guard !items.isEmpty else { continue }
      let sources = [items[Int(random.next(below: UInt64(items.count)))]] as ItemList
      let to = state.handles[Int(random.next(below: UInt64(state.handles.count)))]
      let difference = ReorderDifference(sources: sources, destination: .end(of: to))
      guard state.dropConfiguration(for: difference, by: seat).operation == .move else { continue }
      return kinds + [.reorder(difference, suggested: [])]
    }
    return kinds
  }

  private static func name(of kind: TableOperation.Kind) -> String {
    switch kind {
    case .reorder: "reorder"
    case .insert: "insert"
    case .remove: "remove"
    case .update: "update"
    case .perform(let action, _, _): "perform \(action)"
    case .undo, .unknown, .invalid: "nothing"
    }
  }

  private static func snapshot(of state: TableState, for viewer: SeatNumber) -> SnapshotPart {
    SnapshotPart(
      epoch: Epoch(rawValue: 1), revision: state.revision,
      collections: state.handles.map {
        CollectionSummary(
          handle: $0, id: state.rules(of: $0).id, count: UInt32(state.count(in: $0)),
          isEnabled: state.isEnabled($0))
      },
      items: state.handles.filter { state.isVisible($0, to: viewer) }.flatMap {
        state.items(in: $0, from: 0, limit: .max).map { view($0, for: viewer) }
      }, status: state.status,
      isComplete: true, isFirst: true, variables: state.variables, seats: state.seats)
  }

  private static func view(_ item: Item, for viewer: SeatNumber) -> Item {
    var view = item
    view.visibility = item.visibility.includes(viewer) ? .everyone : .nobody
    return view
  }
}
