package import BaizeSync
package import BaizeTable

/// Every operation that the players of one table submitted, and its answer.
///
/// An answer is matched by the operation's content, never by its number, which changes when an operation is rewritten; or by
/// the entry, where the caller keeps it by the number. At the end the ledger is compared with the table, or with its
/// journal: each accepted effect exists once, refused ones do not.
package struct OperationLedger {
  /// The final answer to an operation.
  package enum Verdict: String, Codable, Hashable {
    case accepted
    case unchanged
    case refused
    /// The session is lost: the operation may have had its effect or not.
    case unknown
  }

  private struct Entry {
    let kind: TableOperation.Kind
    /// The item that it inserts, removes or changes, if that is marked.
    let mark: Mark?
    let player: Int
    var verdict: Verdict?
  }

  private var entries: [Entry] = []
  /// By player: the indices of the entries without an answer, oldest first.
  private var pending: [Int: [Int]] = [:]
  package private(set) var faults = FaultList()
  package private(set) var counts: [Verdict: Int] = [:]

  package init() {}

  package var submittedCount: Int { entries.count }
  package var pendingCount: Int { pending.values.reduce(0) { $0 + $1.count } }

  // MARK: Entries

  /// - Parameter mark: The mark of the item that is to be removed or updated. An insertion carries its own.
  /// - Returns: The operation's entry, which stays the same.
  @discardableResult
  package mutating func submitted(_ kind: TableOperation.Kind, mark: Mark? = nil, by player: Int) -> Int {
    pending[player, default: []].append(entries.count)
    entries.append(Entry(kind: kind, mark: kind.newMark ?? mark, player: player))
    return entries.count - 1
  }

  package mutating func answered(_ kind: TableOperation.Kind, _ verdict: Verdict, to player: Int) {
    let waiting = pending[player, default: []]
    let same = waiting.first { entries[$0].kind.isSame(as: kind) }
    guard let entry = same ?? waiting.first(where: { entries[$0].kind.mayHaveBecome(kind) }) else {
      return noteSurplus(verdict, of: kind, to: player)
    }
    answered(entry, verdict)
  }

  /// - Parameter mayBeUnknown: Whether its player gave its session up, or lost it to a host.
  package mutating func answered(_ entry: Int, _ verdict: Verdict, mayBeUnknown: Bool = false) {
    let (player, kind) = (entries[entry].player, entries[entry].kind)
    guard let index = pending[player]?.firstIndex(of: entry) else { return noteSurplus(verdict, of: kind, to: player) }
    pending[player]?.remove(at: index)
    entries[entry].verdict = verdict
    counts[verdict, default: 0] += 1
    guard verdict == .unknown, !mayBeUnknown else { return }
    faults.note(.unresolved, "player \(player) lost its session and with it \(kind.summary)")
  }

  private mutating func noteSurplus(_ verdict: Verdict, of kind: TableOperation.Kind, to player: Int) {
    faults.note(
      .duplicated, "player \(player) got an answer (\(verdict)) that it did not wait for: \(kind.summary)")
  }

  // MARK: The end

  private mutating func noteUnanswered() {
    for (player, indices) in pending.sorted(by: { $0.key < $1.key }) {
      for index in indices { faults.note(.unresolved, "player \(player) waits for \(entries[index].kind.summary)") }
    }
  }

  /// Compares the answers with the effects in the journal.
  ///
  /// - Parameters:
  ///   - effective: The entries that had an effect, as often as they had one.
  ///   - mayLose: Whether effects may have been lost after they were accepted.
  package mutating func compare(withEffectsOf effective: [Int], mayLose: Bool = false) {
    noteUnanswered()
    var effects = Array(repeating: 0, count: entries.count)
    for entry in effective { effects[entry] += 1 }
    for (entry, effects) in zip(entries, effects) {
      let what = "\(entry.kind.summary) of player \(entry.player)"
      if effects > 1 { faults.note(.duplicated, "\(what) had \(effects) effects") }
      switch Self.certainty(entry.verdict) {
      case .yes: if effects == 0, !mayLose { faults.note(.lost, "\(what) was accepted, and had no effect") }
      case .no: if effects > 0 { faults.note(.unexpected, "\(what) was not accepted, and had an effect") }
      case .maybe: break
      }
    }
  }

  /// Compares the answers with the final table.
  package mutating func compare(with items: [MarkedItem]) {
    noteUnanswered()
    let expected = expectations()
    let found = Dictionary(grouping: items, by: \.mark)
    for (mark, copies) in found where expected[mark] == nil {
      faults.note(.unexpected, "\(mark) is there \(copies.count) times and was never inserted")
    }
    for (mark, expectation) in expected { compare(mark, expectation, with: found[mark] ?? []) }
  }

  /// The expected state of one mark.
  private struct Expectation {
    var isMade = Certainty.no
    var isRemoved = Certainty.no
    /// `nil` if that is not certain.
    var value: Int?? = .some(nil)
  }

  private enum Certainty {
    case no
    case maybe
    case yes
  }

  private func expectations() -> [Mark: Expectation] {
    var expected: [Mark: Expectation] = [:]
    for entry in entries {
      guard let mark = entry.mark else { continue }
      let certainty = Self.certainty(entry.verdict)
      switch entry.kind {
      case .insert: expected[mark, default: Expectation()].isMade = certainty
      case .remove:
        // Of two accepted removals of one item, only one can be right.
        if certainty == .yes || expected[mark]?.isRemoved != .yes {
          if certainty != .no { expected[mark, default: Expectation()].isRemoved = certainty }
        }
      case .update(_, let attributes, _):
        if certainty == .yes { expected[mark, default: Expectation()].value = .some(Mark.value(in: attributes)) }
        if certainty == .maybe { expected[mark, default: Expectation()].value = .none }
      case .reorder, .perform, .undo, .unknown, .invalid: break
      }
    }
    return expected
  }

  private static func certainty(_ verdict: Verdict?) -> Certainty {
    switch verdict {
    case .accepted: .yes
    case .refused, .unchanged: .no
    case .unknown, nil: .maybe
    }
  }

  private mutating func compare(_ mark: Mark, _ expectation: Expectation, with found: [MarkedItem]) {
    if found.count > 1 { faults.note(.duplicated, "\(mark) is there \(found.count) times") }
    switch (expectation.isMade, expectation.isRemoved, found.isEmpty) {
    case (.yes, .no, true): faults.note(.lost, "\(mark) was accepted, nobody removed it, and it is not there")
    case (.no, _, false): faults.note(.unexpected, "\(mark) was not accepted, and it is there")
    case (_, .yes, false): faults.note(.lost, "\(mark) was removed, and it is there")
    case (.yes, .no, false), (.yes, .maybe, _), (.yes, .yes, true), (.no, _, true), (.maybe, _, _): break
    }
    guard let value = expectation.value, let item = found.first, item.value != value else { return }
    faults.note(.lost, "\(mark) was last set to \(text(value)), and is \(text(item.value))")
  }

  private func text(_ value: Int?) -> String { value.map { "\($0)" } ?? "nothing" }
}

extension OperationLedger.Verdict {
  package init(_ answer: Answer) {
    switch answer {
    case .accepted, .acceptedBefore: self = .accepted
    case .unchanged, .invited: self = .unchanged
    case .refused: self = .refused
    case .unknown: self = .unknown
    }
  }
}

extension TableOperation.Kind {
  /// A short description for a report.
  fileprivate var summary: String {
    switch self {
    case .reorder(let move, _): "a move of \(Self.text(move.sources))"
    case .insert: newMark.map { "an insertion of \($0)" } ?? "an insertion"
    case .remove(let items): "a removal of \(Self.text(items))"
    case .update(let item, let attributes, _):
      "an update of \(item.rawValue)" + (Mark.value(in: attributes).map { " to \($0)" } ?? "")
    case .perform(let action, _, _): "the action \(action)"
    case .undo: "an undo"
    case .unknown, .invalid: "something unknown"
    }
  }

  private static func text(_ items: ItemList) -> String { items.map { "\($0.rawValue)" }.joined(separator: ", ") }

  /// The mark of the inserted item.
  fileprivate var newMark: Mark? {
    if case .insert(let items, _) = self { Mark(items.first?.face) } else { nil }
  }

  /// Returns whether this is the submitted operation, perhaps rewritten: provisional ids change with the numbering, and
  /// destinations with the base.
  fileprivate func isSame(as other: Self) -> Bool {
    switch (self, other) {
    case (.insert(let items, _), .insert(let others, _)): items == others
    case (.update(_, let attributes, _), .update(_, let others, _)): attributes == others
    case (.remove(let items), .remove(let others)): Self.areSame(items, others)
    case (.reorder(let move, _), .reorder(let other, _)): Self.areSame(move.sources, other.sources)
    case (.perform(let action, _, _), .perform(let other, _, _)): action == other
    case (.undo, .undo), (.unknown, .unknown): true
    default: false
    }
  }

  /// Returns whether an operation may be the rest of this one: items that were removed meanwhile are left out of a move.
  fileprivate func mayHaveBecome(_ other: Self) -> Bool {
    guard case .reorder(let move, _) = self, case .reorder(let rest, _) = other else { return false }
    return rest.sources.allSatisfy(move.sources.contains)
  }

  private static func areSame(_ items: ItemList, _ others: ItemList) -> Bool {
    items == others || items.contains(where: \.isProvisional) || others.contains(where: \.isProvisional)
  }
}
