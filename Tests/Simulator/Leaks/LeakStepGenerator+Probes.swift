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
    guard let insertion = insertion(text: "t", state) else { return }
    queue.append(.submit(run.plan.watcher, insertion, insertion))
  }

  /// Has the watcher insert an item before the private operations, and undo that after them: their notes must not push
  /// its own out.
  private mutating func undoLate(_ state: TableState) {
    let watcher = run.plan.watcher
    guard let insertion = insertion(text: "t", state) else { return }
    queue = [.submit(watcher, insertion, insertion)] + queue + [.undo(watcher, run.participants[watcher].shared.count)]
  }

  /// Has the watcher insert an item that just fits on the table, or just does not, and undo that.
  mutating func fill() -> LeakStep? {
    fillsNext = false
    let watcher = run.plan.watcher
    guard let state = run.state else { return nil }
    let room = run.plan.limits.tables.contentBytesPerTableMax - state.chargedBytes
    let empty = NewItem(attributes: [Attribute("text", "")])
    let length = room - TableLimits.itemContentBytes - empty.face.contentBytes + random.below(2)
    guard (0...WireLimits.attributeTextBytesMax).contains(length),
      let insertion = insertion(text: String(repeating: "t", count: length), state)
    else { return nil }
    queue = [.undo(watcher, run.participants[watcher].shared.count)]
    return .submit(watcher, insertion, insertion)
  }

  /// Returns an insertion where all see it.
  private mutating func insertion(text: String, _ state: TableState) -> TableOperation.Kind? {
    let open = state.handles.filter { handle in
      let kind = state.kind(of: handle)
      return kind.faces == .up && !kind.isPrivate && kind.accept.inserts
    }
    guard !open.isEmpty else { return nil }
    return .insert([NewItem(attributes: [Attribute("text", text)])], .end(of: random.pick(open)))
  }
}
