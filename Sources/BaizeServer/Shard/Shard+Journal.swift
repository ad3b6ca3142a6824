import BaizeSync
import BaizeTable
import BaizeTransport

/// Messages from the journal's writer.
extension Shard {
  func receive(_ answer: JournalAnswer) {
    schedule.hasNews = true
    switch answer {
    case .committed(let turn, let bytes):
      journal.committed(bytes)
      machine.committed(turn)
    case .loaded(let table, let result): machine.loaded(table, result, at: now)
    case .storageFailed(let error, let generation):
      journal.failed(generation: generation)
      machine.storageFailed(error, at: now)
    case .storageRecovered: machine.storageRecovered(at: now)
    }
  }

  /// Whether the machine's turn goes on: a commit costs the same for few operations as for many, so that what is ready is
  /// received first. An operation that waits for it has waited for less than a commit.
  func gathersMore(at now: UInt64) -> Bool {
    schedule.hasNews && !machine.isTurnFull
      && journal.gathers(framesReceived: statistics.figures.framesReceived, at: now)
  }
}

/// A shard's side of the journal: what it has posted and what of it is not durable.
struct JournalLink {
  /// `nil` without a journal.
  private let post: JournalPost?
  private let unwrittenBytesMax: Int
  /// The size of the posted turns that are not durable, in bytes.
  private var unwrittenBytes = 0
  /// The last failure of the journal that was reported.
  private var generation = 0
  /// The number of frames that had come when the loop's turn ended last.
  private var framesReceived = 0
  /// When the machine's turn ends, however many frames come.
  private var gathersUntil: UInt64?

  init(_ post: JournalPost?, unwrittenBytesMax: Int) {
    self.post = post
    self.unwrittenBytesMax = unwrittenBytesMax
  }

  /// Posts what a turn wants written or read. A turn that wants neither costs nothing.
  mutating func post(_ end: TurnEnd, of shard: Int) {
    gathersUntil = nil
    guard let post, end.number != nil || !end.loads.isEmpty else { return }
    let bytes = end.writes.reduce(0) { $0 + $1.bytes }
    unwrittenBytes += bytes
    post.mailbox.send(
      .turn(
        JournalTurn(
          shard: shard, generation: generation, number: end.number, writes: end.writes, loads: end.loads, bytes: bytes))
    )
  }

  mutating func committed(_ bytes: Int) { unwrittenBytes -= bytes }

  /// Under `strict` the generation is a new one, and what was posted is void; else it is kept.
  mutating func failed(generation: Int) {
    if generation != self.generation { unwrittenBytes = 0 }
    self.generation = generation
  }

  /// Whether the journal lags so far behind that the shard must stop reading. Peers notice it as they would a slow network:
  /// what they write stays where it is.
  ///
  /// - Parameter heldBytes: The memory of the frames that wait for a commit.
  func isCongested(holding heldBytes: Int) -> Bool { unwrittenBytes + heldBytes > unwrittenBytesMax }

  /// Whether a turn waits for more frames: for a while, as long as any come.
  mutating func gathers(framesReceived: Int, at now: UInt64) -> Bool {
    guard post != nil else { return false }
    let hasMore = framesReceived > self.framesReceived
    self.framesReceived = framesReceived
    let end = gathersUntil ?? now + ServerLimits.gatherNanosecondsMax
    gathersUntil = end
    return hasMore && now < end
  }

  /// The shard has ended.
  func leave() { post?.mailbox.send(.left) }
}

extension JournalWrite {
  /// The size of what is written, in bytes.
  fileprivate var bytes: Int {
    switch self {
    case .table(let definition): definition.document.utf8.count
    case .record(let record): record.bytes.count
    case .snapshot(let part): part.bytes.count
    }
  }
}
