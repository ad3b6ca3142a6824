import BaizeSync
import BaizeTable

/// The results of all bots' operations.
struct BotCounts {
  private var accepted = 0
  private var rebased = 0
  private var unchanged = 0
  private var unknown = 0
  private var refused: [String: Int] = [:]

  mutating func add(_ answer: Answer) {
    switch answer {
    case .accepted(let diff):
      accepted += 1
      if diff.isRebased { rebased += 1 }
    case .acceptedBefore: accepted += 1
    case .unchanged, .invited: unchanged += 1
    case .refused(let refusal): refused[refusal.reason.rawValue.printable(), default: 0] += 1
    case .unknown: unknown += 1
    }
  }

  /// The counts as text, such as `120 accepted (2 rebased), 3 refused (3 CONTENDED), 0 unchanged`.
  var text: String {
    let reasons = refused.sorted { ($0.value, $1.key) > ($1.value, $0.key) }.map { "\($0.value) \($0.key)" }
    var parts = ["\(accepted) accepted" + (rebased > 0 ? " (\(rebased) rebased)" : "")]
    parts.append(
      "\(refused.values.reduce(0, +)) refused" + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"))
    parts.append("\(unchanged) unchanged")
    if unknown > 0 { parts.append("\(unknown) with unknown outcome") }
    return parts.joined(separator: ", ")
  }
}
