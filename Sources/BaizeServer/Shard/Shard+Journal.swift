import BaizeSync
import BaizeTransport

/// What the shard posts to the journal's writer, and what comes back.
extension Shard {
  /// Posts what a turn wants written or read. A turn that wants neither costs nothing.
  func post(_ end: TurnEnd) {
    guard let journal, end.number != nil || !end.loads.isEmpty else { return }
    let bytes = end.writes.reduce(0) { $0 + $1.bytes }
    unwrittenBytes += bytes
    journal.mailbox.send(
      .turn(
        JournalTurn(
          shard: post.index, generation: journalGeneration, number: end.number, writes: end.writes, loads: end.loads,
          bytes: bytes)))
  }

  func hear(_ answer: JournalAnswer) {
    let now = Instant(nanoseconds: loop.now)
    hasNews = true
    switch answer {
    case .committed(let turn, let bytes):
      unwrittenBytes -= bytes
      machine.committed(turn)
    case .loaded(let table, let result): machine.loaded(table, result, at: now)
    case .storageFailed(let error, let generation):
      // Under `strict` the generation is a new one, and what was posted is void; else it is kept.
      if generation != journalGeneration { unwrittenBytes = 0 }
      journalGeneration = generation
      machine.storageFailed(error, at: now)
    case .storageRecovered: machine.storageRecovered(at: now)
    }
  }

  /// Whether the journal lags so far behind that the shard must hear no more for now. Peers feel it as a network does:
  /// what they write stays where it is.
  var isCongested: Bool { unwrittenBytes + machine.heldBytes > unwrittenBytesMax }
}

extension JournalWrite {
  /// Roughly what it takes on disk.
  fileprivate var bytes: Int {
    switch self {
    case .table(let definition): definition.document.utf8.count
    case .record(let record): record.bytes.count
    case .snapshot(let part): part.bytes.count
    }
  }
}
