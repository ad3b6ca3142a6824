/// What a run with clients that come back has come to.
struct ReconnectResult {
  let seconds: Double
  let players: Int
  let tables: Int
  private(set) var submitted = 0
  private(set) var waiting = 0
  private(set) var verdicts: [OperationLedger.Verdict: Int] = [:]
  let counts: ReconnectCounts
  private(set) var faults: FaultList

  init(_ run: ReconnectRun, seconds: Double) {
    self.seconds = seconds
    players = run.players.count
    tables = run.tables.count
    counts = run.counts
    faults = run.faults
    for table in run.tables {
      submitted += table.operations.submittedCount
      waiting += table.operations.waitingCount
      verdicts.merge(table.operations.counts) { $0 + $1 }
      faults.add(table.operations.faults)
      faults.add(table.history.faults)
    }
  }

  /// The run in one line.
  var line: String {
    let operations =
      "submitted \(submitted)  accepted \(verdicts[.accepted] ?? 0)  unchanged \(verdicts[.unchanged] ?? 0)  "
      + "refused \(verdicts[.refused] ?? 0)  unanswered \(waiting + (verdicts[.unknown] ?? 0))"
    let found =
      "lost \(faults[.lost] + faults[.wentBack])  doubled \(faults[.doubled] + faults[.ghost])  "
      + "changed \(faults[.changed])  diverged \(faults[.diverged] + faults[.gap])  shut out \(faults[.shutOut])"
    let coming =
      "reconnects \(counts.reconnects) (\(counts.byDiffs) by diffs, \(counts.bySnapshot) by snapshot"
      + (counts.anew > 0 ? ", \(counts.anew) as someone new)" : ")")
    return "\(operations)  \(found)  \(coming)"
  }

  /// The result for people.
  var text: String {
    var lines = [
      "\(players) players at \(tables) tables, \(LoadResult.fixed(seconds, 1)) s, \(counts.retries) times told to try again",
      line,
    ]
    lines += faults.examples.map { "fault  \($0)" }
    if faults.total > faults.examples.count { lines.append("fault  … \(faults.total) in all") }
    if faults.isEmpty { lines.append("nothing lost, nothing doubled, every copy has the daemon's hash") }
    return lines.joined(separator: "\n")
  }

  /// The result for programs.
  var json: [String: Any] {
    var json: [String: Any] = [
      "players": players, "tables": tables, "seconds": seconds, "submitted": submitted,
      "accepted": verdicts[.accepted] ?? 0, "unchanged": verdicts[.unchanged] ?? 0, "refused": verdicts[.refused] ?? 0,
      "waiting": waiting, "unknown": verdicts[.unknown] ?? 0, "retries": counts.retries,
      "reconnects": counts.reconnects, "byDiffs": counts.byDiffs, "bySnapshot": counts.bySnapshot, "anew": counts.anew,
      "examples": faults.examples,
    ]
    json["faults"] = Dictionary(uniqueKeysWithValues: Fault.allCases.map { ($0.rawValue, faults[$0]) })
    return json
  }
}
