import BaizeSimulator
import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

@testable import BaizeSync

/// Nothing that a daemon, or somebody between it and its client, sends ends the client's process or leaves it in a broken state
/// (I12).
@Suite struct ExtremeMessageTests {
  /// The largest number that is read, and what is beyond.
  fileprivate static let most: UInt64 = 1 << 53 - 1
  fileprivate static let numbers: [UInt64] = [0, 1, most - 1, most, most + 1, .max - 1, .max]
  /// Those, and around the last operation whose items have provisional ids.
  fileprivate static let sequences: [UInt64] = numbers + [1 << 40 - 1, 1 << 40, 1 << 40 + 1]
  fileprivate static let words: [UInt32] = [0, 1, .max]

  /// A client at a table with one pending operation.
  private func client() -> Host {
    let host = Host(Daemon())
    host.receive()
    host.submit(.insert([NewItem()], .end(of: .first)))
    return host
  }

  private func snapshot(
    of host: Host, epoch: UInt64 = 1, revision: UInt64? = nil, lastSequence: UInt64 = 0
  ) throws -> SnapshotPart {
    let state = host.daemon.state
    return SnapshotPart(
      epoch: Epoch(rawValue: epoch), revision: Revision(rawValue: revision ?? state.revision.rawValue),
      collections: state.handles.map { CollectionSummary(handle: $0, id: "", count: UInt32(state.count(in: $0))) },
      items: state.handles.flatMap { state.items(in: $0, from: 0, limit: .max) }, status: "open", isComplete: true,
      isFirst: true, lastSequence: SequenceNumber(rawValue: lastSequence), seats: state.seats)
  }

  private func send(_ message: ServerMessage, to host: Host) {
    message.encoded().withUnsafeBytes { bytes in
      host.handle { $0.received(bytes, at: host.daemon.now, into: &$1) }
    }
  }

  /// The client still does what its app asks for.
  private func expectSound(_ host: Host) {
    host.submit(.insert([NewItem()], .end(of: .first)), sendsRefused: true)
    host.submit(host.move(1), sendsRefused: true)
    #expect(host.state?.brokenInvariant() == nil)
    host.daemon.pass(seconds: 1_000_000_000)
    host.handle { $0.tick(at: host.daemon.now, into: &$1) }
  }

  @Test(arguments: sequences)
  func `I12: snapshots with any last operation, one after the other`(last: UInt64) throws {
    for (first, second) in [(0, last), (last, 0), (last, last), (1, last)] {
      let host = client()
      for (number, epoch) in [(first, 1), (second, 1), (first, 2), (second, 2), (0, 2)] as [(UInt64, UInt64)] {
        send(.snapshot(try snapshot(of: host, epoch: epoch, lastSequence: number)), to: host)
        host.submit(.insert([NewItem()], .end(of: .first)))
        #expect(host.state?.brokenInvariant() == nil)
      }
      expectSound(host)
    }
  }

  @Test(arguments: numbers)
  func `I12: revisions and epochs at their extremes`(number: UInt64) throws {
    for epoch in [1, 2, number] {
      let host = client()
      send(.snapshot(try snapshot(of: host, epoch: epoch, revision: number)), to: host)
      for next in [number &+ 1, number, number &- 1, 0, 1] {
        let diff = Diff(
          revision: Revision(rawValue: next), author: .daemon, sequence: .zero, changes: [.status("open")])
        send(.diff(diff), to: host)
        send(
          .pong(
            Pong(nonce: 1, revision: Revision(rawValue: next), viewHash: 1, epoch: Epoch(rawValue: epoch))), to: host)
      }
      expectSound(host)
    }
  }

  @Test(arguments: words, words) func `I12: a welcome with any limits`(number: UInt32, heartbeat: UInt32) throws {
    let host = client()
    host.lose()
    host.daemon.pass(seconds: 10)
    host.handle { $0.tick(at: host.daemon.now, into: &$1) }
    let old = try #require(host.machine.welcome)
    let welcome = Welcome(
      session: old.session, seat: old.seat, ticket: [UInt8](repeating: 1, count: 10_000), epoch: old.epoch,
      revision: Revision(rawValue: Self.most), lastSequence: SequenceNumber(rawValue: Self.most),
      tableType: old.tableType, options: old.options, frameBytesMax: number, history: number,
      heartbeatSeconds: heartbeat, server: "", pendingMax: number, invite: String(repeating: "x", count: 100_000))
    send(.welcome(welcome), to: host)
    send(.snapshot(try snapshot(of: host)), to: host)
    #expect(host.machine.invite.utf8.count <= WireLimits.inviteBytesMax)
    #expect(host.machine.nextDeadline.map { $0 > host.daemon.now } != false)
    expectSound(host)
  }

  @Test(arguments: words) func `I12: a goodbye with any delay`(delay: UInt32) {
    for now: UInt64 in [0, 1, .max / 2, .max - 1, .max] {
      let host = client()
      host.handle { machine, effects in
        machine.receive(
          .goodbye(Goodbye(.slow, retryAfterMilliseconds: delay)), at: Instant(nanoseconds: now), into: &effects)
      }
      guard case .waiting(let until) = host.machine.phase else {
        Issue.record("\(host.machine.phase)")
        return
      }
      #expect(until >= Instant(nanoseconds: now))
    }
  }

  @Test func `I12: a configuration with times at their extremes`() {
    for most: UInt64 in [0, 1, .max - 1, .max] {
      var configuration = ClientConfiguration(table: "t", tableType: "list")
      configuration.backoffMilliseconds = most
      configuration.backoffMillisecondsMax = most
      configuration.handshakeSeconds = most
      configuration.hashCheckSeconds = most
      configuration.retryMilliseconds = most
      var machine = ClientMachine(
        configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
      var effects: [ClientEffect] = []
      var now = Instant(nanoseconds: 1)
      machine.start(at: now, into: &effects)
      for _ in 1...100 {
        machine.connected(at: now, into: &effects)
        _ = machine.nextDeadline
        machine.closed(at: now, into: &effects)
        now = now.advanced(bySeconds: 100_000)
        machine.tick(at: now, into: &effects)
      }
    }
  }

  @Test func `I8, I12: a table with more variables than a client accepts is not loaded`() throws {
    let host = client()
    var part = try snapshot(of: host)
    part.variables = (0...ClientLimits.variablesMax).map { Attribute("v\($0)", 1) }
    let before = host.divergences
    send(.snapshot(part), to: host)
    #expect(host.divergences == before + 1 && host.state?.variables.isEmpty == true)
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `I12: messages that are almost right, in any order, leave the client whole`(seed: UInt64) {
    var world = HostileDaemon(random: RandomSource(seed: seed))
    for _ in 0..<200 { world.step() }
    #expect(world.brokenInvariant == nil, "seed \(seed)")
  }
}

/// A client that is connected whenever it requests it, and receives anything.
private struct HostileDaemon {
  private var random: RandomSource
  private var machine: ClientMachine
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var submissions: [Replica.Submission] = []

  init(random: RandomSource) {
    self.random = random
    machine = Self.machine()
    handle { $0.start(at: $1, into: &$2) }
  }

  private static func machine() -> ClientMachine {
    var configuration = ClientConfiguration(table: "t", tableType: "klondike")
    configuration.backoffMilliseconds = 0
    return ClientMachine(configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
  }

  // Where aliases may be is the daemon's to judge.
  var brokenInvariant: String? { machine.replica?.state.brokenInvariant(isJudged: false) }

  mutating func step() {
    switch random.below(12) {
    case 0: handle { $0.closed(at: $1, into: &$2) }
    case 1:
      now = now.advanced(byMilliseconds: random.pick([1, 1_000, 20_000, 90_000, 1 << 40]))
      handle { $0.tick(at: $1, into: &$2) }
    case 2, 3:
      guard let replica = machine.replica else { return }
      let last = replica.pending.last?.operation.sequence ?? .zero
      let knowledge = HostileKnowledge(replica.state, after: last)
      let (kind, insists) = (Generator(.fuzz).kind(by: knowledge, &random), random.happens(onceIn: 2))
      var submission: Replica.Submission?
      handle { submission = $0.submit(kind, sendsRefused: insists, at: $1, into: &$2) }
      if let submission { submissions.append(submission) }
    case 4:
      guard !submissions.isEmpty else { return }
      let submission = random.pick(submissions)
      handle { _ = $0.undo(submission, at: $1, into: &$2) }
    default:
      var bytes = random.message(to: machine).encoded()
      if random.happens(onceIn: 16), !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
      bytes.withUnsafeBytes { bytes in handle { $0.received(bytes, at: $1, into: &$2) } }
    }
  }

  private mutating func handle(_ body: (inout ClientMachine, Instant, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&machine, now, &effects)
    for effect in effects {
      if case .connect = effect { handle { $0.connected(at: $1, into: &$2) } }
    }
    if case .ended = machine.phase, brokenInvariant == nil {
      machine = Self.machine()
      submissions = []
      handle { $0.start(at: $1, into: &$2) }
    }
    if case .waiting = machine.phase {
      now = now.advanced(bySeconds: 86_400 * 50)
      handle { $0.tick(at: $1, into: &$2) }
    }
  }
}
