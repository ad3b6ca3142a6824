import BaizeTable
import BaizeWorkload

/// Operations of the watcher at the bounds of the table: whether they are refused must not depend on what is private.
extension LeakStepGenerator {
  /// Often has the watcher probe a bound with the queued private operations of others.
  mutating func addProbe(_ state: TableState) {
    switch random.below(5) {
    case 0, 1: undoLate(state)
    case 2: fillsNext = true
    case 3: actLate(state)
    default: break
    }
  }

  /// Has the watcher insert an item after the private operations, on the base that it had before them: what they took out must not
  /// make that base too old.
  private mutating func actLate(_ state: TableState) {
    guard let insertion = insertion(state) else { return }
    queue.append(.submit(run.plan.watcher, insertion, insertion))
  }

  /// Has the watcher insert an item before the private operations, and undo that after them: their notes must not push
  /// its own out.
  private mutating func undoLate(_ state: TableState) {
    let watcher = run.plan.watcher
    guard let insertion = insertion(state) else { return }
    queue = [.submit(watcher, insertion, insertion)] + queue + [.undo(watcher, run.participants[watcher].shared.count)]
  }

  /// Has the watcher insert items that just fit on the table, or just do not, and undo that.
  mutating func fill() -> LeakStep? {
    fillsNext = false
    let watcher = run.plan.watcher
    guard let state = run.state, let faceBytes = state.type.faceBytes else { return nil }
    let room = run.plan.limits.tables.contentBytesPerTableMax - state.contentBytes
    guard room >= 0 else { return nil }
    let (each, empty) = (TableLimits.itemContentBytes + faceBytes, Attribute("text", "").contentBytes)
    var lengths = Array(repeating: faceBytes - empty, count: room / each)
    // One more does not fit. If each counted as large as it is, they would fit, exactly or not quite.
    if random.happens(onceIn: 2) {
      lengths.append(max(0, room % each - TableLimits.itemContentBytes - empty + random.below(2)))
    }
    guard (1...20).contains(lengths.count), let insertion = insertion(state, lengths: lengths) else { return nil }
    queue = [.undo(watcher, run.participants[watcher].shared.count)]
    return .submit(watcher, insertion, insertion)
  }

  /// Returns an insertion of items with texts of these lengths where all see them.
  private mutating func insertion(_ state: TableState, lengths: [Int] = [1]) -> TableOperation.Kind? {
    let open = state.handles.filter { handle in
      let kind = state.kind(of: handle)
      return kind.faces == .up && !kind.isPrivate && kind.accept.inserts
    }
    guard !open.isEmpty else { return nil }
    let items = lengths.map { NewItem(attributes: [Attribute("text", String(repeating: "t", count: $0))]) }
    return .insert(items, .end(of: random.pick(open)))
  }
}
