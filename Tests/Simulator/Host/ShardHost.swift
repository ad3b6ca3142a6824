package import BaizeSync
import BaizeTable
package import BaizeWire

/// A shard's process without sockets and threads: the real machine and a journal, with turns that wait to be committed, and
/// tables that wait to be loaded or set up. Every step is made by its owner.
package final class ShardHost<Storage: JournalStore> {
  package var shard: ShardMachine
  package let journal: Storage
  private var options: ShardHostOptions
  /// The turns that have ended and are not durable, oldest first.
  package private(set) var turns: [(number: TurnNumber, writes: [JournalWrite])] = []
  /// The tables to be loaded, each once all turns up to the one named are durable or void.
  private var loads: [(after: TurnNumber, table: String)] = []
  private var lastTurn = TurnNumber(rawValue: 0)
  /// The tables to be set up, oldest first.
  package private(set) var setUps: [TableSetUp] = []
  /// The bytes that were not received yet, of connections that wait for their tables or for the next turn.
  private var unread: [ConnectionID: [UInt8]] = [:]
  /// The connections that wait for the next turn.
  private var deferred: [ConnectionID] = []
  /// The time of the last event.
  private var now = Instant(nanoseconds: 0)
  /// Whether something happened since the last turn ended.
  private var isTouched = false
  /// Whether the storage failure was reported to the machine, and whether one was since the start.
  package private(set) var isStorageFailed = false
  package private(set) var hasStorageFailed = false
  /// The last failure of a commit.
  private var failure: JournalError?
  package private(set) var generations: [UInt32] = []
  /// The number of restarts.
  package private(set) var starts = 0

  package init(_ options: ShardHostOptions, _ journal: Storage) {
    self.options = options
    self.journal = journal
    shard = options.makeShard()
  }

  package var wantsTurn: Bool { isTouched || shard.wantsTurn }

  /// Whether a requested table may be loaded.
  package var canLoad: Bool {
    guard let load = loads.first else { return false }
    return turns.first.map { $0.number > load.after } ?? true
  }

  /// Whether a table is to be set up.
  package var canMake: Bool { !setUps.isEmpty }

  // MARK: Events

  /// Connects to a slot, which is reused as by a transport; the generation distinguishes its connections.
  package func connect(
    slot: Int, from peer: PeerID = .unknown, isShared: Bool = false, at now: Instant
  ) -> ConnectionID {
    while generations.count <= slot { generations.append(0) }
    generations[slot] += 1
    let id = ConnectionID(slot: UInt32(slot), generation: generations[slot])
    shard.connected(id, from: peer, isShared: isShared, at: now)
    return id
  }

  /// Receives a message, through the codec.
  package func receive(_ message: ClientMessage, on id: ConnectionID, at now: Instant) {
    message.framed().withUnsafeBytes { receive(frames: $0, on: id, at: now) }
  }

  /// Receives a frame's content, valid or not.
  package func receive(_ frame: UnsafeRawBufferPointer, on id: ConnectionID, at now: Instant) {
    var writer = ByteWriter(capacity: frame.count + 10)
    writer.varint(UInt64(frame.count))
    writer.append(frame)
    writer.withUnsafeBytes { receive(frames: $0, on: id, at: now) }
  }

  private func receive(frames: UnsafeRawBufferPointer, on id: ConnectionID, at now: Instant) {
    isTouched = true
    self.now = now
    guard unread[id] == nil else {
      unread[id]?.append(contentsOf: frames)
      return
    }
    let received = shard.receive(
      frames, FrameReader(frameBytesMax: .max), on: id, within: options.isBounded, at: now)
    guard received.isWaiting || received.isDeferred else { return }
    unread[id] = Array(frames[received.bytes...])
    if received.isDeferred { deferred.append(id) }
  }

  /// Receives the bytes of connections that no longer wait for their tables.
  private func receiveUnread() { receiveUnread(of: shard.takeResumed()) }

  private func receiveUnread(of ids: [ConnectionID]) {
    for id in ids {
      if let bytes = unread.removeValue(forKey: id) { bytes.withUnsafeBytes { receive(frames: $0, on: id, at: now) } }
    }
  }

  package func closed(_ id: ConnectionID, at now: Instant) {
    unread[id] = nil
    shard.closed(id, at: now)
    isTouched = true
  }

  package func backlog(of id: ConnectionID, _ bytes: Int, taken: Int, at now: Instant) {
    shard.backlog(of: id, bytes, taken: taken, at: now)
    isTouched = true
  }

  package func tick(at now: Instant) {
    shard.tick(at: now)
    isTouched = true
  }

  // MARK: Turns

  /// Ends the turn.
  ///
  /// - Returns: Its number and writes, if it writes anything.
  package func endTurn() -> (number: TurnNumber, writes: [JournalWrite])? {
    shard.admitWaiting(at: now)
    receiveUnread()
    isTouched = false
    let end = shard.endTurn(at: now)
    receiveUnread(of: exchange(&deferred, with: []))
    if let number = end.number {
      lastTurn = number
      turns.append((number, end.writes))
    }
    for table in end.loads { loads.append((lastTurn, table)) }
    setUps += end.setUps
    return end.number.map { ($0, end.writes) }
  }

  /// Makes the first waiting turns durable, as a whole.
  ///
  /// - Returns: Their numbers, which were not reported to the machine yet; `nil` if the journal fails.
  package func commit(_ count: Int) -> [TurnNumber]? {
    let first = turns.prefix(count)
    do throws(JournalError) {
      try journal.commit(first.flatMap(\.writes))
    } catch {
      failure = error
      return nil
    }
    turns.removeFirst(first.count)
    return first.map(\.number)
  }

  package func committed(_ turn: TurnNumber) {
    shard.committed(turn)
    isTouched = true
  }

  /// Reports the last failed commit to the machine, unless it was reported.
  package func failStorage(at now: Instant) {
    guard let failure else { return }
    if options.durability == .strict { turns.removeAll() }
    guard !isStorageFailed || options.durability == .strict else { return }
    isStorageFailed = true
    hasStorageFailed = true
    shard.storageFailed(failure, at: now)
    isTouched = true
  }

  /// Returns whether a failed journal works again.
  package func probe() -> Bool {
    guard isStorageFailed else { return false }
    do throws(JournalError) {
      try journal.probe()
      return true
    } catch {
      return false
    }
  }

  package func recoverStorage(at now: Instant) {
    isStorageFailed = false
    shard.storageRecovered(at: now)
    isTouched = true
  }

  /// Loads the first requested table.
  ///
  /// - Returns: Its name, and the journal's data.
  /// - Throws: The journal's error, which is also reported to the machine.
  @discardableResult
  package func load(at now: Instant) throws(JournalError) -> (table: String, restored: RestoredTable?) {
    let name = loads.removeFirst().table
    return (name, try load(name, at: now))
  }

  /// Loads a table, whether the machine's turn has ended or not.
  @discardableResult
  package func load(_ name: String, at now: Instant) throws(JournalError) -> RestoredTable? {
    isTouched = true
    self.now = now
    do throws(JournalError) {
      let restored = try journal.restored(name, options)
      var prepared = restored
      prepared?.prepareSessions(answersMax: options.limits.sessions.pendingOperationsMax)
      shard.loaded(name, .success(prepared), at: now)
      receiveUnread()
      return restored
    } catch {
      shard.loaded(name, .failure(error), at: now)
      throw error
    }
  }

  /// Sets up the first requested table.
  ///
  /// - Returns: Its name.
  @discardableResult
  package func make(at now: Instant) -> String {
    let setUp = setUps.removeFirst()
    shard.made(setUp.table, setUp.make(), at: now)
    isTouched = true
    self.now = now
    receiveUnread()
    return setUp.table
  }

  // MARK: Frames

  /// Returns the next batch of frames that may be sent. The owner returns it by ``recycle(_:)``.
  package func nextReleased() -> FrameBatch? { shard.nextReleased() }

  package func recycle(_ batch: FrameBatch) { shard.recycle(batch) }

  /// Sends all frames that may be sent, and closes the connections that the machine closes.
  ///
  /// - Parameters:
  ///   - send: Called with one frame for one connection.
  ///   - close: Called before a connection's end is reported to the machine.
  package func release(
    at now: Instant, to send: (ConnectionID, UnsafeRawBufferPointer) -> Void, closing close: (ConnectionID) -> Void
  ) {
    while let batch = nextReleased() {
      batch.forEachFrame(send)
      for id in batch.closes {
        close(id)
        closed(id, at: now)
      }
      recycle(batch)
    }
  }

  /// Ends one turn and makes it durable at once, sends its frames, and loads and sets up tables.
  ///
  /// - Returns: Whether there were tables to load or to set up.
  @discardableResult
  package func runTurn(
    at now: Instant, to send: (ConnectionID, UnsafeRawBufferPointer) -> Void = { _, _ in },
    closing close: (ConnectionID) -> Void = { _ in }
  ) throws(JournalError) -> Bool {
    self.now = now
    _ = endTurn()
    if !turns.isEmpty {
      guard let numbers = commit(turns.count) else { throw failure ?? JournalError(.storage, "the commit failed") }
      if let last = numbers.last { committed(last) }
    }
    release(at: now, to: send, closing: close)
    let isBusy = canLoad || canMake
    while canLoad { try load(at: now) }
    while canMake { make(at: now) }
    return isBusy
  }

  /// Runs turns until there is nothing to do.
  package func settle(
    at now: Instant, to send: (ConnectionID, UnsafeRawBufferPointer) -> Void = { _, _ in },
    closing close: (ConnectionID) -> Void = { _ in }
  ) throws(JournalError) {
    while try runTurn(at: now, to: send, closing: close) || shard.wantsTurn {}
  }

  // MARK: The process

  package func shutDown(at now: Instant) {
    shard.shutDown(at: now)
    isTouched = true
  }

  /// Ends the process, which loses everything that is not durable, and starts another on the same journal.
  package func crash(_ options: ShardHostOptions) {
    turns.removeAll()
    loads.removeAll()
    setUps.removeAll()
    lastTurn = TurnNumber(rawValue: 0)
    isTouched = false
    unread.removeAll()
    deferred.removeAll()
    isStorageFailed = false
    hasStorageFailed = false
    generations.removeAll()
    starts += 1
    self.options = options
    shard = options.makeShard()
  }
}
