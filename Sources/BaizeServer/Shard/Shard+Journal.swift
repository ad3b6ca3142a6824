import BaizeSync
import BaizeTable
import BaizeTransport

/// Messages from the journal.
extension Shard {
  func receive(_ answer: JournalAnswer) {
    schedule.hasEvents = true
    switch answer {
    case .acknowledged(let turn, let bytes):
      journal.acknowledged(bytes, at: loop.now)
      machine.committed(turn)
      operators.committed(turn)
    case .failed(let error, let generation):
      let areTurnsVoid = journal.failed(generation: generation)
      machine.storageFailed(error, at: now)
      operators.storageFailed(areTurnsVoid: areTurnsVoid)
    case .recovered: machine.storageRecovered(at: now)
    case .expired(let table, let isDryRun):
      guard machine.expire(table: table, isDryRun: isDryRun) else { return }
      if !isDryRun { statistics.figures.tablesExpired += 1 }
      log(
        .info,
        isDryRun
          ? "the table \(table.quotedForLog) would be deleted: nobody has used it for the days of --expire"
          : "the table \(table.quotedForLog) is deleted: nobody has used it for the days of --expire")
    }
  }

  /// Receives a table that was asked for.
  func receive(_ table: Result<RestoredTable?, JournalError>, named name: String) {
    schedule.hasEvents = true
    machine.loaded(name, table, at: now)
  }

  /// Returns whether the machine's turn continues. A commit costs the same for few operations as for many, so that frames
  /// that are ready are received first. The wait is shorter than a commit.
  func gathersMore(at now: UInt64) -> Bool {
    let isFull = machine.isTurnFull
    if schedule.hasEvents { schedule.noteTurnStart(at: now) }
    return schedule.hasEvents && !isFull && hasJournal
      && schedule.gathers(framesReceived: statistics.figures.framesReceived, at: now)
  }
}
