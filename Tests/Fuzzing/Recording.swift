import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// A short game of a real client at a real shard: the frames to the client, and the journal's content.
struct Recording {
  /// The frames in order, and between them the client's actions.
  private(set) var received: [UInt8] = []
  private let typeName: String
  private var stored: StoredTable?

  init(typeName: String) {
    self.typeName = typeName
    let host = ShardHost(ShardHostOptions { $0.limits.tables.snapshotAfterBytes = 400 }, MemoryJournal())
    var client = ClientMachine(
      configuration: ClientConfiguration(table: "t", tableType: typeName, name: "someone"), types: SimulatedTypes(),
      random: RandomSource(seed: 1))
    let now = Instant(nanoseconds: 1_000_000_000)
    let id = host.connect(slot: 0, at: now)
    var random = RandomSource(seed: 2)
    var author = GeneratedAuthor(Generator(.worlds), random: random.split())
    var effects: [ClientEffect] = []
    client.start(at: now, into: &effects)
    client.connected(at: now, into: &effects)
    for _ in 0..<24 {
      if let replica = client.replica, let next = author.next(at: replica.state, by: replica.author.seat),
        let kind = next.operation(at: replica.state, after: replica.lastSequence)
      {
        _ = client.submit(kind, sendsRefused: next.insists, at: now, into: &effects)
      }
      for case .send(let message) in effects { host.receive(message, on: id, at: now) }
      effects = []
      var frames: [[UInt8]] = []
      do { try host.settle(at: now, to: { frames.append(Array($1)) }) } catch { hold(false, "\(error)") }
      for frame in frames {
        received += frame
        guard let range = (try? FrameReader(frameBytesMax: WireLimits.serverFrameBytesMax).next(in: frame)) ?? nil
        else {
          continue
        }
        frame[range].withUnsafeBytes { client.received($0, at: now, into: &effects) }
      }
      received += [3, 0, 3, UInt8(random.next(below: 256))]
    }
    stored = host.journal.table(named: "t")
  }

  /// The stored table as an input of ``JournalTarget``.
  ///
  /// - Parameter part: What its parts begin with.
  func journalInput(part: UInt8) -> [UInt8] {
    guard let stored else { return [] }
    return Chunks.join(
      [Array(typeName.utf8)] + stored.snapshot.map { [part] + $0.bytes } + stored.records.map { [1] + $0.bytes })
  }
}
