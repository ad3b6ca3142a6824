import BaizeHarness

/// The result of a run with clients that reconnect.
struct ReconnectResult {
  private let seconds: Double
  private let players: Int
  private let tables: Int
  private let submitted: Int
  private let pending: Int
  private let verdicts: [OperationLedger.Verdict: Int]
  private let counts: LedgerPlay.Counts
  let faults: FaultList

  init(_ play: LedgerPlay, seconds: Double) {
    self.seconds = seconds
    players = play.playerCount
    tables = play.options.tables
    submitted = play.submittedCount
    pending = play.pendingCount
    verdicts = play.verdicts
    counts = play.counts
    faults = play.allFaults
  }

  /// The run in one line.
  var line: String {
    let operations =
      "submitted \(submitted)  accepted \(verdicts[.accepted] ?? 0)  unchanged \(verdicts[.unchanged] ?? 0)  "
      + "refused \(verdicts[.refused] ?? 0)  unresolved \(pending + (verdicts[.unknown] ?? 0))"
    let found =
      "lost \(faults[.lost] + faults[.regressed])  doubled \(faults[.duplicated] + faults[.unexpected])  "
      + "changed \(faults[.changed])  diverged \(faults[.diverged] + faults[.gap])  shut out \(faults[.rejected])"
    let reconnects =
      "reconnects \(counts.reconnects) (\(counts.byDiffs) by diffs, \(counts.bySnapshot) by snapshot"
      + (counts.anew > 0 ? ", \(counts.anew) as a new session)" : ")")
    return "\(operations)  \(found)  \(reconnects)"
  }

  /// The result for people.
  var text: String {
    var lines = [
      "\(players) players at \(tables) tables, \(LoadResult.fixed(seconds, 1)) s, \(counts.retries) operations to retry",
      line,
    ]
    lines += faults.examples.map { "fault  \($0)" }
    if faults.total > faults.examples.count { lines.append("fault  … \(faults.total) in all") }
    if faults.isEmpty { lines.append("nothing lost, nothing duplicated, every copy has the daemon's hash") }
    return lines.joined(separator: "\n")
  }

  /// The result for programs.
  var json: [String: Any] {
    [
      "players": players, "tables": tables, "seconds": seconds, "submitted": submitted,
      "accepted": verdicts[.accepted] ?? 0, "unchanged": verdicts[.unchanged] ?? 0, "refused": verdicts[.refused] ?? 0,
      "waiting": pending, "unknown": verdicts[.unknown] ?? 0, "retries": counts.retries,
      "reconnects": counts.reconnects, "byDiffs": counts.byDiffs, "bySnapshot": counts.bySnapshot, "anew": counts.anew,
      "examples": faults.examples,
      "faults": Dictionary(uniqueKeysWithValues: Fault.allCases.map { ($0.rawValue, faults[$0]) }),
    ]
  }
}
