import BaizeSimulator
import BaizeTable
import BaizeWire

@testable import BaizeSync

/// A shard with a journal in memory. Messages in both directions go through the codec.
final class Daemon {
  var host: ShardHost<TestJournal>
  private var options: ShardHostOptions
  var now = Instant(nanoseconds: 1_000_000_000)
  /// Whether a turn is durable at its end; otherwise its frames wait for ``commit()``.
  var commitsAtOnce = true
  /// Whether a table is loaded from the journal as soon as it is requested; otherwise when the turn ends.
  var loadsAtOnce = true
  private(set) var counts = TurnCounts()
  /// The number of frames that were encoded, and of connections they were encoded for.
  private(set) var framesEncoded = 0
  private(set) var framesDelivered = 0
  /// The tables that the journal cannot read.
  var unreadable: Set<String> {
    get { host.journal.unreadable }
    set { host.journal.unreadable = newValue }
  }
  /// The tables that there is no room for.
  var tooLarge: Set<String> {
    get { host.journal.tooLarge }
    set { host.journal.tooLarge = newValue }
  }
  private var appended: [JournalWrite] = []
  /// All writes that were ever durable.
  private(set) var committed: [JournalWrite] = []
  /// The messages that were sent and not received yet, by connection.
  private var outputs: [ConnectionID: [ServerMessage]] = [:]
  /// The connections that the daemon closed.
  private(set) var closed: Set<ConnectionID> = []
  private var credentialCount = 0
  private var isFree: [Bool] = []
  private var backlogs: [ConnectionID: Int] = [:]

  /// - Parameter limit: Changes the default limits.
  init(
    seed: UInt64 = 1, durability: Durability = .strict, isOpen: Bool = true, creation: CreationRight = .anyone,
    setUpItemsAtOnceMax: Int = .max, _ limit: (inout SyncLimits) -> Void = { _ in }
  ) {
    options = ShardHostOptions {
      limit(&$0.limits)
      $0.seed = seed
      $0.durability = durability
      $0.isOpen = isOpen
      $0.creation = creation
      $0.setUpItemsAtOnceMax = setUpItemsAtOnceMax
    }
    host = ShardHost(options, TestJournal())
  }

  /// Returns the credential of another person.
  func newCredential() -> [UInt8] {
    credentialCount += 1
    return Array(repeating: UInt8(credentialCount % 256), count: 16)
      + Array(repeating: UInt8(credentialCount / 256), count: 16)
  }

  // MARK: Events

  /// Connects in the first free slot, as a transport does.
  func connect(from peer: PeerID = .unknown, isShared: Bool = false) -> ConnectionID {
    let slot = isFree.firstIndex(of: true) ?? isFree.count
    if slot == isFree.count { isFree.append(false) }
    isFree[slot] = false
    return host.connect(slot: slot, from: peer, isShared: isShared, at: now)
  }

  /// Connects, says hello, and ends the turn.
  @discardableResult
  func connect(_ hello: Hello) -> ConnectionID {
    let id = connect()
    receive(.hello(hello), on: id)
    endTurn()
    return id
  }

  /// Connects as a session that claims to have received a revision, and returns what it is sent.
  func resume(
    _ welcome: Welcome?, of identity: ClientRecord.Identity, as role: Role = .player, holding revision: Revision
  ) -> [ServerMessage] {
    var hello = Hello(table: "t", role: role, credential: identity.credential, sessionName: identity.sessionName)
    (hello.epoch, hello.revision) = (welcome?.epoch ?? Epoch(rawValue: 1), revision)
    return take(connect(hello))
  }

  func receive(_ message: ClientMessage, on id: ConnectionID) { receive(bytes: message.encoded(), on: id) }

  func receive(bytes: [UInt8], on id: ConnectionID) {
    bytes.withUnsafeBytes { host.receive($0, on: id, at: now) }
    if loadsAtOnce { answerLoads() }
  }

  /// Receives frames from the front of a stream, as far as the turn's budget allows.
  @discardableResult
  func receive(stream: [UInt8], on id: ConnectionID) -> ShardMachine.Received {
    stream.withUnsafeBytes { host.shard.receive($0, FrameReader(), on: id, at: now) }
  }

  /// Loads the tables that the shard requests from the journal, in the middle of its turn.
  func answerLoads() {
    let loads = host.shard.requests.loads
    host.shard.requests.loads.removeAll()
    for name in loads { _ = try? host.load(name, at: now) }
  }

  /// Loses the connection, on the daemon's side of the network.
  func lose(_ id: ConnectionID) {
    host.closed(id, at: now)
    outputs[id] = nil
    isFree[Int(id.slot)] = true
  }

  /// - Parameter taken: The bytes that were read since the last report; unless given, by how much the backlog shrank.
  func backlog(of id: ConnectionID, _ bytes: Int, taken: Int? = nil) {
    let less = max(0, backlogs[id, default: 0] - bytes)
    backlogs[id] = bytes
    host.backlog(of: id, bytes, taken: taken ?? less, at: now)
  }

  @discardableResult
  func tick() -> Bool { host.shard.tick(at: now) }

  /// Lets time pass, and ends a turn after the tick.
  func sweep(afterSeconds seconds: UInt64 = 0) {
    pass(seconds: seconds)
    tick()
    endTurn()
  }

  func setMemoryMark(_ mark: MemoryMark, excess: Int, unreceived: [ConnectionID: Int] = [:]) {
    host.shard.setMemoryMark(mark, excess: excess, unreceived: unreceived, at: now)
  }

  func shutDown() { host.shutDown(at: now) }

  func pass(seconds: UInt64) { now = now.advanced(bySeconds: seconds) }

  func pass(milliseconds: UInt64) { now = now.advanced(byMilliseconds: milliseconds) }

  /// The tables that are to be set up.
  var setUps: [TableSetUp] { host.setUps }

  /// Sets up the tables that the shard has requested so far.
  func answerSetUps() {
    while host.canMake { host.make(at: now) }
    endTurn()
  }

  // MARK: The turn

  /// Ends the turn, and commits it if turns are durable at once.
  @discardableResult
  func endTurn() -> TurnNumber? {
    let turn = host.endTurn()
    appended += turn?.writes ?? []
    if commitsAtOnce, !host.turns.isEmpty { commit() }
    release()
    while host.canLoad { _ = try? host.load(at: now) }
    return turn?.number
  }

  /// Makes every ended turn durable, or reports a failure to the shard.
  func commit() {
    if let turns = host.commit(.max) {
      committed += appended
      appended.removeAll()
      if let last = turns.last { host.committed(last) }
    } else {
      if options.durability == .strict { appended.removeAll() }
      host.failStorage(at: now)
    }
    release()
  }

  /// The disk accepts no writes from now on.
  func fillDisk() { journal.failure = JournalError(.storage, "no space left on device") }

  /// The journal works again, and the kept writes are written, now or by the next commit.
  func recover(commitsAtOnce: Bool = true) {
    journal.failure = nil
    do { try journal.probe() } catch { preconditionFailure("\(error)") }
    host.recoverStorage(at: now)
    if commitsAtOnce { commit() }
  }

  /// Ends the process without the uncommitted writes, and starts another on the same journal.
  func restart(isOpen: Bool? = nil, creation: CreationRight = .anyone) {
    appended.removeAll()
    commitsAtOnce = true
    options.seed = 99
    options.isOpen = isOpen ?? options.isOpen
    options.creation = creation
    options.setUpItemsAtOnceMax = .max
    host.crash(options)
    outputs.removeAll()
    isFree = isFree.map { _ in true }
  }

  /// Reports durable turns to the shard, one by one.
  func commit(through turn: TurnNumber) {
    host.committed(turn)
    release()
  }

  private func release() {
    while let batch = host.nextReleased() {
      batch.forEachFrame { id, frame in
        do {
          outputs[id, default: []].append(try ServerMessage(delivery: frame))
        } catch {
          preconditionFailure("the daemon sent what cannot be read: \(error)")
        }
      }
      counts += batch.counts
      framesEncoded += Set(batch.deliveries.map(\.start)).count
      framesDelivered += batch.deliveries.count
      for id in batch.closes {
        closed.insert(id)
        host.closed(id, at: now)
        isFree[Int(id.slot)] = true
      }
      host.recycle(batch)
    }
  }

  /// Takes the messages for a connection since the last call.
  func take(_ id: ConnectionID) -> [ServerMessage] { outputs.updateValue([], forKey: id) ?? [] }

  // MARK: Internals

  var shard: ShardMachine {
    // The machine is not copyable.
    _read { yield host.shard }
  }
  var wantsTurn: Bool { host.shard.wantsTurn }
  var journal: MemoryJournal { host.journal.memory }
  var table: TableMachine { shard.tables[0] }
  var state: TableState { table.table.state }

  /// The entries of all records that were ever made durable, in order.
  var committedEntries: [JournalEntry] {
    committed.flatMap { write -> [JournalEntry] in
      guard case .record(let record) = write else { return [] }
      do { return try JournalEntry.entries(of: record.bytes) } catch { preconditionFailure("\(error)") }
    }
  }
}

/// A journal in memory, some of whose tables cannot be read.
final class TestJournal: JournalStore {
  let memory = MemoryJournal()
  var unreadable: Set<String> = []
  var tooLarge: Set<String> = []

  func commit(_ writes: [JournalWrite]) throws(JournalError) { try memory.commit(writes) }
  func probe() throws(JournalError) { try memory.probe() }
  func tableCount() -> Int { memory.tableCount() }
  func search() -> TableSearch { memory.search() }

  func table(named name: String) throws(JournalError) -> StoredTable? {
    if tooLarge.contains(name) { throw JournalError(.tooLarge, "there is no room for it") }
    if unreadable.contains(name) { throw JournalError(.corrupt, "a page is broken") }
    return memory.table(named: name)
  }
}

extension SyncLimits {
  /// The default limits with some changes.
  init(_ change: (inout Self) -> Void) {
    self.init()
    change(&self)
  }
}
