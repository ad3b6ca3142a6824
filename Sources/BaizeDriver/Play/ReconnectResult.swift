package import BaizeTransport
package import BaizeWorkload

extension LedgerPlay {
  /// Joins everyone, lets them play, and compares everything in the end.
  ///
  /// - Parameters:
  ///   - seconds: The duration; `nil` until the request.
  ///   - report: Receives progress.
  ///   - showsProgress: Whether that has a line a second.
  /// - Throws: ``RunFailure`` when the daemon cannot be reached, or is away for too long.
  package func perform(
    seconds: Double?, until request: StopRequest, report: (String) -> Void, showsProgress: Bool
  ) throws -> ReconnectResult {
    try join()
    report("\(playerCount) players are at \(options.tables) tables")
    let start = MonotonicClock.now()
    var lastReport = start
    var lastLive = start
    var now = start
    while !request.isMade, Double(now - start) / 1e9 < seconds ?? .infinity {
      try play(seconds: 0.02)
      now = MonotonicClock.now()
      if isAnyoneLive { lastLive = now }
      guard Double(now - lastLive) / 1e9 < options.timeoutSeconds else {
        throw RunFailure("the daemon has been down for \(options.timeoutSeconds) s")
      }
      if showsProgress, now - lastReport >= 1_000_000_000 {
        lastReport = now
        report(ReconnectResult(play: self, seconds: Double(now - start) / 1e9).line)
      }
    }
    finish()
    return ReconnectResult(play: self, seconds: Double(now - start) / 1e9)
  }
}

/// The result of a run with clients that reconnect.
package struct ReconnectResult {
  package let play: LedgerPlay
  package let seconds: Double

  package init(play: LedgerPlay, seconds: Double) { (self.play, self.seconds) = (play, seconds) }

  package var faults: FaultList { play.allFaults }

  /// The run in one line.
  package var line: String {
    let (verdicts, counts, faults) = (play.verdicts, play.counts, faults)
    let operations =
      "submitted \(play.submittedCount)  accepted \(verdicts[.accepted] ?? 0)  unchanged \(verdicts[.unchanged] ?? 0)  "
      + "refused \(verdicts[.refused] ?? 0)  unresolved \(play.pendingCount + (verdicts[.unknown] ?? 0))"
    let found =
      "lost \(faults[.lost] + faults[.regressed])  duplicated \(faults[.duplicated] + faults[.unexpected])  "
      + "changed \(faults[.changed])  diverged \(faults[.diverged] + faults[.gap])  rejected \(faults[.rejected])"
    let reconnects =
      "reconnects \(counts.reconnects) (\(counts.byDiffs) by diffs, \(counts.bySnapshot) by snapshot"
      + (counts.asNewSession > 0 ? ", \(counts.asNewSession) as a new session)" : ")")
    return "\(operations)  \(found)  \(reconnects)"
  }

  /// The result for people.
  package var text: String {
    let faults = faults
    var lines = [
      "\(play.playerCount) players at \(play.options.tables) tables, \(LoadResult.fixed(seconds, 1)) s, "
        + "\(play.counts.retries) operations to retry", line,
    ]
    lines += faults.examples.map { "fault  \($0)" }
    if faults.total > faults.examples.count { lines.append("fault  … \(faults.total) in all") }
    if faults.isEmpty { lines.append("nothing lost, nothing duplicated, every copy has the daemon's hash") }
    return lines.joined(separator: "\n")
  }

  /// The result for programs.
  package var json: [String: Any] {
    let (verdicts, counts, faults) = (play.verdicts, play.counts, faults)
    return [
      "players": play.playerCount, "tables": play.options.tables, "seconds": seconds, "submitted": play.submittedCount,
      "accepted": verdicts[.accepted] ?? 0, "unchanged": verdicts[.unchanged] ?? 0, "refused": verdicts[.refused] ?? 0,
      "waiting": play.pendingCount, "unknown": verdicts[.unknown] ?? 0, "retries": counts.retries,
      "reconnects": counts.reconnects, "byDiffs": counts.byDiffs, "bySnapshot": counts.bySnapshot,
      "asNewSession": counts.asNewSession, "examples": faults.examples,
      "faults": Dictionary(uniqueKeysWithValues: Fault.allCases.map { ($0.rawValue, faults[$0]) }),
    ]
  }
}
