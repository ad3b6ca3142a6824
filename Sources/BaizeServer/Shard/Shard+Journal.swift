import BaizeSync
import BaizeTable
import BaizeTransport

/// Messages from the journal's writer.
extension Shard {
  func receive(_ answer: JournalAnswer) {
    schedule.hasEvents = true
    switch answer {
    case .committed(let turn, let bytes):
      journal.committed(bytes, at: loop.now)
      machine.committed(turn)
      operators.committed(turn)
    case .loaded(let table, let result): machine.loaded(table, result, at: now)
    case .storageFailed(let error, let generation):
      journal.failed(generation: generation)
      machine.storageFailed(error, at: now)
      operators.storageFailed()
    case .storageRecovered: machine.storageRecovered(at: now)
    case .expired(let table):
      if machine.expire(table: table) { log(.info, "the table \(table.quotedForLog) has expired") }
    }
  }

  /// Returns whether the machine's turn continues. A commit costs the same for few operations as for many, so that frames
  /// that are ready are received first. The wait is shorter than a commit.
  func gathersMore(at now: UInt64) -> Bool {
    let isFull = machine.isTurnFull
    if schedule.hasEvents { schedule.noteTurnStart(at: now) }
    return schedule.hasEvents && !isFull && journal.gathers(framesReceived: statistics.figures.framesReceived, at: now)
  }
}

/// A shard's side of the journal: the turns that it has sent and that are not durable yet.
struct JournalLink {
  /// The writer's endpoint; `nil` without a journal.
  private let endpoint: JournalEndpoint?
  private let unwrittenBytesMax: Int
  /// The size in bytes of the sent turns that are not durable.
  private(set) var unwrittenBytes = 0
  /// The time since which some are not: when the first of them was sent, or the last commit since then was reported.
  private var unwrittenSince: UInt64?
  /// The last failure of the journal that was reported.
  private var generation = 0
  /// The number of frames received when the loop's last turn ended.
  private var framesReceived = 0
  /// The time at which the machine's turn ends even if more frames arrive.
  private var gathersUntil: UInt64?

  init(_ endpoint: JournalEndpoint?, unwrittenBytesMax: Int) {
    self.endpoint = endpoint
    self.unwrittenBytesMax = unwrittenBytesMax
  }

  /// Sends the writes and loads of a turn to the journal's writer. A turn without either costs nothing.
  ///
  /// - Parameter load: Returns the conditions under which a table is loaded.
  mutating func send(_ end: TurnEnd, of shard: Int, at now: UInt64, load: (String) -> JournalTurn.Load) {
    gathersUntil = nil
    guard let endpoint, end.number != nil || !end.loads.isEmpty else { return }
    let bytes = end.writes.reduce(0) { $0 + $1.bytes }
    let loads = end.loads.map(load)
    unwrittenBytes += bytes
    if unwrittenBytes > 0, unwrittenSince == nil { unwrittenSince = now }
    endpoint.mailbox.send(
      .turn(
        JournalTurn(
          shard: shard, generation: generation, number: end.number, writes: end.writes, loads: loads, bytes: bytes))
    )
  }

  mutating func committed(_ bytes: Int, at now: UInt64) {
    unwrittenBytes -= bytes
    unwrittenSince = unwrittenBytes > 0 ? now : nil
  }

  func lagNanoseconds(at now: UInt64) -> UInt64 { unwrittenSince.map { now > $0 ? now - $0 : 0 } ?? 0 }

  /// Handles a failed commit. Under `strict` the generation is new and the sent turns are void; otherwise they are kept.
  mutating func failed(generation: Int) {
    if generation != self.generation { (unwrittenBytes, unwrittenSince) = (0, nil) }
    self.generation = generation
  }

  /// Returns whether the journal is so far behind that the shard stops reading (backpressure). To peers it looks like a slow
  /// network.
  ///
  /// - Parameter heldBytes: The memory of the frames that wait for a commit.
  func isCongested(holding heldBytes: Int) -> Bool { unwrittenBytes + heldBytes > unwrittenBytesMax }

  /// Whether what nobody waits for is to be written later.
  var isBusy: Bool { unwrittenBytes > ServerLimits.unwrittenBusyBytes }

  /// Returns whether a turn waits for more frames: for a limited time, as long as frames arrive.
  mutating func gathers(framesReceived: Int, at now: UInt64) -> Bool {
    guard endpoint != nil else { return false }
    let hasMore = framesReceived > self.framesReceived
    self.framesReceived = framesReceived
    let end = gathersUntil ?? now + ServerLimits.gatherNanosecondsMax
    gathersUntil = end
    return hasMore && now < end
  }

  /// Reports that the shard has ended.
  func leave() { endpoint?.mailbox.send(.left) }
}

extension JournalWrite {
  /// The size of what is written, in bytes.
  fileprivate var bytes: Int {
    switch self {
    case .table(let definition): definition.document.utf8.count
    case .record(let record): record.bytes.count
    case .snapshot(let part): part.bytes.count
    case .deletion(let table): table.utf8.count
    }
  }
}
