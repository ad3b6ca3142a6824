import BaizeBot
import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire

/// A table, its shard and its bots in one process, with real frames between them. Frames may be delayed; those of a
/// connection stay in order.
struct BotTable {
  /// One participant: a client's machine with a strategy.
  struct Bot {
    var client: ClientMachine
    var strategy: any Strategy
    var random: RandomSource
    let connection: ConnectionID
    var toDaemon = Line()
    var fromDaemon = Line()
    var conclusion: Conclusion?
    var answers: [Answered] = []
    /// The operations that the replica's rules refused, so that they were not sent.
    var refusedHere: [Refusal] = []
    var goodbye: Goodbye?
    var submitted = 0
  }

  /// One direction of a connection.
  struct Line {
    private var frames: [(due: Int, bytes: [UInt8])] = []
    private var head = 0

    var isEmpty: Bool { head == frames.count }

    mutating func push(_ bytes: [UInt8], due: Int) {
      frames.append((max(due, frames.last?.due ?? due), bytes))
    }

    mutating func pop(at now: Int) -> [UInt8]? {
      guard head < frames.count, frames[head].due <= now else { return nil }
      head += 1
      let bytes = frames[head - 1].bytes
      if isEmpty {
        frames.removeAll(keepingCapacity: true)
        head = 0
      }
      return bytes
    }
  }

  private var host: ShardHost<MemoryJournal>
  var bots: [Bot] = []
  /// The maximum delay of a frame, in steps.
  let delayMax: Int
  private let name = "game"
  private let type: String
  private let seed: UInt64
  private var clock = 0
  private var chance: RandomSource

  /// - Parameter seed: The seed of the shuffle and of everything else.
  init(_ type: String, seed: UInt64, delayMax: Int = 0) {
    self.type = type
    self.seed = seed
    self.delayMax = delayMax
    chance = RandomSource(seed: seed ^ 0xC0FF_EE00)
    let options = ShardHostOptions {
      $0.seed = seed &+ 1_000_000
      $0.limits.sessions.operationsPerSecondMax = 0
      $0.allowsSeeds = true
      $0.durability = .memory
    }
    host = ShardHost(options, MemoryJournal())
  }

  /// The daemon's state.
  var state: TableState? { host.shard.state(ofTable: name) }

  /// I1: the differences between the bots' copies and their views at the daemon. Nothing may be in flight.
  var differences: [String] {
    mutating get {
      var differences: [String] = []
      for bot in bots.indices {
        var pongs: [Pong] = []
        ask(bot, &pongs)
        var replica = bots[bot].client.replica
        guard let pong = pongs.first, pong.viewHash != 0, replica?.agrees(with: pong) == true,
          bots[bot].client.divergences == 0, bots[bot].goodbye == nil
        else {
          differences.append("bot \(bot) differs: \(pongs), \(String(describing: bots[bot].goodbye))")
          continue
        }
      }
      return differences
    }
  }

  /// Requests the hash of a bot's view from the daemon.
  private mutating func ask(_ bot: Int, _ pongs: inout [Pong]) {
    settle()
    bots[bot].toDaemon.push(ClientMessage.ping(Ping(nonce: 1, wantsHash: true)).encoded(), due: clock)
    let connection = bots[bot].connection
    while let frame = bots[bot].toDaemon.pop(at: clock) {
      frame.withUnsafeBytes { host.receive($0, on: connection, at: now) }
    }
    endTurn()
    while let frame = bots[bot].fromDaemon.pop(at: .max) {
      frame.withUnsafeBytes {
        if case .pong(let pong)? = try? ServerMessage(decoding: $0) { pongs.append(pong) }
      }
    }
  }

  mutating func join(_ strategy: any Strategy) {
    let number = bots.count
    var configuration = ClientConfiguration(table: name, tableType: type, name: "bot \(number)", seed: seed)
    configuration.reportsChanges = false
    let random = RandomSource(seed: seed &* 31 &+ UInt64(number))
    let connection = host.connect(slot: number, at: now)
    bots.append(
      Bot(
        client: ClientMachine(configuration: configuration, types: SimulatedTypes(), random: random),
        strategy: strategy,
        random: random, connection: connection))
    var effects: [ClientEffect] = []
    bots[number].client.start(at: now, into: &effects)
    bots[number].client.connected(at: now, into: &effects)
    carryOut(effects, of: number)
    settle()
  }

  private var now: Instant { Instant(nanoseconds: 0) }

  // MARK: Playing

  /// Takes a bot's next decision and executes it. Frames without delay are delivered at once.
  ///
  /// - Returns: Whether it submitted an operation.
  @discardableResult mutating func play(_ bot: Int) -> Bool {
    guard let replica = bots[bot].client.replica else { return false }
    var random = bots[bot].random
    let decision = bots[bot].strategy.next(at: replica, random: &random)
    bots[bot].random = random
    switch decision {
    case .submit(let kind, let sendsRefused):
      bots[bot].conclusion = nil
      submit(kind, sendsRefused, of: bot)
      return true
    case .wait:
      bots[bot].conclusion = nil
      return false
    case .done(let conclusion):
      bots[bot].conclusion = conclusion
      return false
    }
  }

  private mutating func submit(_ kind: TableOperation.Kind, _ sendsRefused: Bool, of bot: Int) {
    var effects: [ClientEffect] = []
    let submission = bots[bot].client.submit(kind, sendsRefused: sendsRefused, at: now, into: &effects)
    if let submission, submission.operation == nil, case .refused(let refusal) = submission.prediction {
      bots[bot].refusedHere.append(refusal)
      bots[bot].strategy.received(.refused(refusal), to: kind)
    }
    if submission?.operation != nil { bots[bot].submitted += 1 }
    carryOut(effects, of: bot)
  }

  /// Advances time by one step.
  mutating func step() {
    clock += 1
    pump()
  }

  /// Whether nothing is in flight.
  var isQuiet: Bool { bots.allSatisfy { $0.toDaemon.isEmpty && $0.fromDaemon.isEmpty } }

  /// Delivers frames until nothing is in flight.
  mutating func settle() {
    while !isQuiet { step() }
  }

  // MARK: Frames

  /// Delivers the due frames, and those sent in answer without delay.
  mutating func pump() {
    var isBusy = true
    while isBusy {
      isBusy = false
      for bot in bots.indices {
        while let frame = bots[bot].toDaemon.pop(at: clock) {
          isBusy = true
          let connection = bots[bot].connection
          frame.withUnsafeBytes { host.receive($0, on: connection, at: now) }
        }
      }
      if isBusy || host.shard.wantsTurn { endTurn() }
      for bot in bots.indices {
        while let frame = bots[bot].fromDaemon.pop(at: clock) {
          isBusy = true
          var effects: [ClientEffect] = []
          frame.withUnsafeBytes { bots[bot].client.received($0, at: now, into: &effects) }
          carryOut(effects, of: bot)
          if let replica = bots[bot].client.replica { bots[bot].strategy.observe(replica) }
        }
      }
    }
  }

  private mutating func endTurn() {
    var frames: [(slot: UInt32, bytes: [UInt8])] = []
    do throws(JournalError) {
      try host.runTurn(at: now, to: { frames.append(($0.slot, Self.message(in: $1))) })
    } catch {
      preconditionFailure("\(error)")
    }
    for (slot, bytes) in frames { bots[Int(slot)].fromDaemon.push(bytes, due: due()) }
  }

  private mutating func carryOut(_ effects: [ClientEffect], of bot: Int) {
    for effect in effects {
      switch effect {
      case .send(let message):
        bots[bot].toDaemon.push(message.encoded(), due: due())
      case .event(.answered(let answered)):
        bots[bot].answers.append(answered)
        bots[bot].strategy.received(answered)
      case .event(.ended(let goodbye)), .event(.disconnected(.some(let goodbye), _)): bots[bot].goodbye = goodbye
      case .event, .connect, .disconnect, .persist, .refreshToken: break
      }
    }
  }

  private mutating func due() -> Int { delayMax == 0 ? clock : clock + Int(chance.next(below: UInt64(delayMax + 1))) }

  /// The message of a whole frame.
  private static func message(in frame: UnsafeRawBufferPointer) -> [UInt8] {
    guard let range = try? FrameReader().next(in: frame) else { return [] }
    return Array(frame[range])
  }
}

extension TableState {
  /// The items of others' private collections, or hidden faces, that a copy of a seat contains; `nil` if there are none.
  func leak(to seat: SeatNumber) -> String? {
    for handle in handles {
      let collection = rules(of: handle)
      let kind = type.kinds[collection.kind]
      let isOthers = collection.owner != seat
      if kind.isPrivate, isOthers, !itemIDs(in: handle).isEmpty { return "items of \(collection.id)" }
      guard kind.faces == .down || (kind.faces == .owner && isOthers) else { continue }
      if itemIDs(in: handle).contains(where: { face(of: $0) != nil }) { return "faces of \(collection.id)" }
    }
    return nil
  }
}
