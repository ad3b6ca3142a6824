import BaizeBot
import BaizeSync
import BaizeTable

/// The caption and the marks of one participant's copy on the display, besides its state.
struct DemoCopy {
  /// The last thing that happened to this participant's operations.
  private(set) var caption = StyledText()
  private var marks: [ItemID: (mark: ItemMark, until: Instant)] = [:]

  /// The time for which an answer stays visible.
  private static let markMilliseconds: UInt64 = 3_000

  /// Returns the marks of a copy: pending operations first, then recent answers, then the last diff.
  func marks(at replica: Replica, latest: Set<ItemID>, now: Instant) -> [ItemID: ItemMark] {
    var shown: [ItemID: ItemMark] = [:]
    for item in latest { shown[item] = .fresh }
    for (item, entry) in marks where entry.until > now { shown[item] = entry.mark }
    for pending in replica.pending where !pending.isInState {
      for item in pending.operation.kind.namedItems { shown[item] = .pending }
    }
    return shown
  }

  /// - Parameter isIllegal: Whether it was sent although the local rules refuse it.
  mutating func submitted(_ text: String, isIllegal: Bool) {
    caption = line("•", text + (isIllegal ? ": sent, although the rules say no" : ": shown, not answered yet"), .bold)
  }

  mutating func locallyRefused(_ refusal: Refusal) {
    caption = line("✗", "the rules say no: \(Self.why(refusal))", .boldRed)
  }

  mutating func answered(_ answered: Answered, _ text: String, at now: Instant) {
    let items = answered.operation.kind.namedItems
    switch answered.answer {
    case .accepted(let diff):
      if diff.isRebased { mark(items, .rebased, now) }
      caption = line(
        diff.isRebased ? "↪" : "✓", text + (diff.isRebased ? ": rebased on others' moves" : ": accepted"),
        diff.isRebased ? .boldMagenta : .green)
    case .refused(let refusal):
      mark(items, .refused, now)
      caption = line("✗", text + ": sprung back, \(refusal.reason.rawValue)", .boldRed)
    case .acceptedBefore, .unchanged, .invited, .unknown: caption = StyledText()
    }
  }

  private mutating func mark(_ items: ItemList, _ mark: ItemMark, _ now: Instant) {
    marks = marks.filter { $0.value.until > now }
    for item in items { marks[item] = (mark, now.advanced(byMilliseconds: Self.markMilliseconds)) }
  }

  private func line(_ sign: String, _ text: String, _ style: StyledText.Style) -> StyledText {
    var line = StyledText(sign + " ", style)
    line.append(text)
    return line
  }

  private static func why(_ refusal: Refusal) -> String {
    refusal.reason.rawValue + (refusal.detail.isEmpty ? "" : ", \(refusal.detail)")
  }
}

extension TableOperation.Kind {
  /// The items that the operation names.
  var namedItems: ItemList {
    switch self {
    case .reorder(let difference, _): difference.sources
    case .remove(let items): items
    case .update(let item, _, _): [item]
    case .perform(_, let items, _): items
    case .insert, .undo, .unknown, .invalid: []
    }
  }
}
