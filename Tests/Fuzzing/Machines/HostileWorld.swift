import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// A daemon's process and its peers. Every event is a step of the script.
final class HostileWorld {
  private var host: ShardHost<MemoryJournal>
  private var options: ShardHostOptions
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var peers: [HostilePeer] = []
  /// The tables that hellos name.
  private static let tables = ["a", "b", "c"]
  private static let peersMax = 8
  private static let generator = Generator(.fuzz)

  /// - Parameters:
  ///   - seed: The seed of the daemon. With an odd one, tables are created outside of the turns.
  ///   - roomy: Whether limits are the defaults; otherwise they are so low that scripts reach them.
  init(seed: UInt64, durability: Durability, roomy: Bool) {
    let low: [SimulationPlan.Limit] = [
      .pendingOperations(4), .operationRate(20, burst: 8), .outbox(bytes: 2_000), .snapshotParts(items: 5),
      .grace(seconds: 5), .unload(seconds: 10), .journalSnapshots(bytes: 500), .log(bytes: 400),
    ]
    let setUp: [SimulationPlan.Limit] = seed % 2 == 0 ? [] : [.setUp(itemsAtOnce: 3)]
    var options = SimulationPlan(
      seed: seed, tables: [], clients: [], durability: durability, limits: (roomy ? [] : low) + setUp
    ).hostOptions()
    options.isBounded = true
    self.options = options
    host = ShardHost(options, MemoryJournal())
    peers = (0..<Self.peersMax).map { HostilePeer(slot: $0) }
  }

  // MARK: Events

  func step(_ script: inout InputScript) {
    let peer = peers[script.below(peers.count)]
    switch script.below(24) {
    case 0: reconnect(peer)
    case 1, 2: sendHello(peer, &script)
    case 3...12:
      let operation = Self.generator.operation(by: peer.knowledge(of: state(of: peer)), &script)
      peer.willSend(send(peer, .operation(operation)))
    case 13: send(peer, .drag(script.drag(by: peer.knowledge(of: state(of: peer)))))
    case 14: send(peer, .ping(Ping(nonce: script.number(near: 7), wantsHash: script.happens(onceIn: 2))))
    case 15: send(peer, .snapshotRequest(why: "because"))
    case 16: send(peer, .goodbye(Goodbye(.leaving, isResumable: script.happens(onceIn: 2))))
    case 17: sendBytes(peer, &script)
    case 18:
      if let id = peer.connection {
        let unread = Int(script.pick([0, 500, 3_000, 1 << 19, 1 << 22]))
        host.backlog(of: id, unread, taken: script.happens(onceIn: 2) ? 1 << 20 : 0, at: now)
      }
    case 19: pass(script.pick([1, 100, 1_000, 6_000, 46_000, 400_000, 200_000_000]))
    case 20: disturb(&script)
    default: endTurn(commits: !script.happens(onceIn: 4))
    }
  }

  private func reconnect(_ peer: HostilePeer) {
    if let id = peer.connection { host.closed(id, at: now) }
    peer.begin(host.connect(slot: peer.slot, at: now))
  }

  private func sendHello(_ peer: HostilePeer, _ script: inout InputScript) {
    if !script.happens(onceIn: 8) { reconnect(peer) }
    let others = peers[script.below(peers.count)]
    var hello = Hello(table: script.pick(Self.tables + [peer.table, peer.table, "no table!", ""]))
    hello.tableType = script.pick(SimulatedTypes.names + ["", "", "chess", "list?items=7"])
    hello.role = script.happens(onceIn: 4) ? .spectator : .player
    hello.version = script.happens(onceIn: 16) ? 2 : 1
    hello.seed = script.happens(onceIn: 16) ? 1 : 0
    hello.credential = script.pick([
      [], peer.credential, peer.credential, peer.credential, others.credential, [1], Array(peer.credential.dropLast()),
    ])
    hello.sessionName = script.pick([[], [], [1], [2], [UInt8](repeating: 3, count: 16)])
    hello.ticket = script.pick([[], peer.ticket, others.ticket, [1]])
    (hello.epoch, hello.revision) = (script.id(near: peer.epoch), script.id(near: peer.revision))
    peer.willSend(hello)
    send(peer, .hello(hello))
  }

  /// Bytes that may be a message.
  private func sendBytes(_ peer: HostilePeer, _ script: inout InputScript) {
    let bytes = script.bytes(script.below(24))
    guard let id = peer.connection else { return }
    bytes.withUnsafeBytes { host.receive($0, on: id, at: now) }
  }

  @discardableResult
  private func send(_ peer: HostilePeer, _ message: ClientMessage) -> ClientMessage? {
    guard let id = peer.connection else { return nil }
    trace("\(peer.slot) sends \(message)")
    host.receive(message, on: id, at: now)
    return message
  }

  private func pass(_ milliseconds: UInt64) {
    trace("\(milliseconds) ms pass")
    now = now.advanced(byMilliseconds: milliseconds)
    host.tick(at: now)
    endTurn(commits: true)
  }

  private func disturb(_ script: inout InputScript) {
    let disturbance = script.below(4)
    trace(["the disk is full", "the disk has room", "the process dies", "a minute passes"][disturbance])
    switch disturbance {
    case 0: host.journal.failure = JournalError(.storage, "the disk is full")
    case 1: recover()
    case 2:
      // Another process draws other tickets.
      options.seed += 1
      host.crash(options)
      for peer in peers { peer.lose() }
    default: pass(60_000)
    }
  }

  // MARK: Turns

  private func endTurn(commits: Bool) {
    trace("a turn ends\(commits ? "" : ", not committed")")
    // Commands queued before: anything may have changed since.
    while commits, host.canMake {
      let table = host.make(at: now)
      trace("table \(table) is made")
    }
    _ = host.endTurn()
    if commits { commit() }
    while host.canLoad {
      do { try host.load(at: now) } catch { hold(false, "what was written cannot be read: \(error)") }
    }
    host.release(at: now, to: { owner(of: $0)?.receive($1) }, closing: { owner(of: $0)?.lose() })
  }

  private func commit() {
    guard !host.turns.isEmpty else { return }
    guard let turns = host.commit(host.turns.count) else {
      return host.failStorage(at: now)
    }
    for turn in turns { host.committed(turn) }
  }

  private func recover() {
    host.journal.failure = nil
    if host.probe() { host.recoverStorage(at: now) }
  }

  private func owner(of id: ConnectionID) -> HostilePeer? { peers.first { $0.connection == id } }

  private func state(of peer: HostilePeer) -> TableState? { host.shard.state(ofTable: peer.table) }

  // MARK: The end

  /// Lets everything settle and checks the result.
  ///
  /// - Returns: Whether any table had a member.
  func finish() -> Bool {
    recover()
    settle()
    let present = peers.filter(\.isAtTable)
    for peer in present { send(peer, .ping(Ping(nonce: HostilePeer.lastNonce, wantsHash: true))) }
    settle()
    for peer in present { peer.expectRest() }
    for table in Self.tables { expectSound(table) }
    return !present.isEmpty
  }

  private static let turnsMax = 1_000

  private func settle() {
    for peer in peers { if let id = peer.connection { host.backlog(of: id, 0, taken: 1 << 22, at: now) } }
    var turns = 0
    repeat {
      endTurn(commits: true)
      turns += 1
      hold(turns < Self.turnsMax, "the shard does not come to rest")
    } while host.wantsTurn || host.canMake || !host.turns.isEmpty
  }

  private func expectSound(_ name: String) {
    guard var state = host.shard.state(ofTable: name) else { return }
    let broken = state.brokenInvariant()
    hold(broken == nil, "table \(name): \(broken ?? "")")
    guard options.durability != .memory else { return }
    guard let stored = host.journal.table(named: name) else {
      return hold(false, "table \(name) is not in the journal")
    }
    do {
      var restored = try RestoredTable(stored, types: SimulatedTypes())
      hold(restored.viewHash() == state.viewHash(), "the journal leads to another table \(name)")
    } catch {
      hold(false, "table \(name) cannot be read from the journal: \(error)")
    }
  }
}
