import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

@testable import BaizeClient

/// A client with all that an app has above the machine, connected whenever it requests it, and a model that follows it.
struct HostileDaemonsClient {
  private var core: ClientCore
  private let feed: UInt64
  private var model = ShownModel()
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var submissions: [Replica.Submission] = []
  private var wasLive = false

  init() {
    var configuration = ClientConfiguration(table: "t", tableType: "klondike")
    configuration.backoffMilliseconds = 0
    let machine = ClientMachine(configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
    core = ClientCore(machine, joinDeadline: Instant(nanoseconds: .max), stored: nil)
    feed = core.addFeed(weightMax: 64)
    handle(.started)
  }

  // MARK: The daemon

  mutating func receive(_ frame: [UInt8]) {
    trace("a frame of \((try? ServerMessage(decoding: frame)).map { "\($0)" } ?? "\(frame)")")
    frame.withUnsafeBytes { handle(.frame($0)) }
    wasLive = wasLive || core.machine.isLive
  }

  /// Receives a message that fits the client's state, or nearly, with a byte changed now and then.
  mutating func receiveAlmostRight(_ script: inout InputScript) {
    let message = script.message(to: core.machine)
    trace("the daemon sends \(message)")
    var bytes = message.encoded()
    if script.happens(onceIn: 16), !bytes.isEmpty { bytes[script.below(bytes.count)] = script.byte() }
    receive(bytes)
  }

  // MARK: The app

  mutating func act(_ script: inout InputScript) {
    switch script.below(12) {
    case 0: handle(.closed(reason: "lost"))
    case 1:
      now = now.advanced(byMilliseconds: script.pick([1, 1_000, 20_000, 90_000, 1 << 40]))
      handle(.woken)
    case 2: handle(.invalidFrame(.frameTooLarge))
    case 3:
      var deferred = ClientCore.Deferred()
      core.drag(script.drag(by: knowledge), at: now, &deferred)
      settle([])
    case 4:
      guard !submissions.isEmpty else { return }
      trace("an undo")
      var deferred = ClientCore.Deferred()
      _ = core.undo(script.pick(submissions), at: now, &deferred)
      settle([])
    default:
      guard core.replica != nil else { return }
      let kind = Generator(.fuzz).kind(by: knowledge, &script)
      trace("the app submits \(kind)")
      var deferred = ClientCore.Deferred()
      let submission = core.submit(kind, id: nil, sendsRefused: script.happens(onceIn: 2), at: now, &deferred)
      if let submitted = submission.submitted { submissions.append(submitted) }
      settle([])
    }
  }

  private var knowledge: HostileKnowledge {
    guard let replica = core.replica else { return HostileKnowledge() }
    return HostileKnowledge(replica.state, after: replica.pending.last?.operation.sequence ?? .zero)
  }

  // MARK: The host

  private mutating func handle(_ event: HostEvent) {
    var commands: [HostCommand] = []
    var deferred = ClientCore.Deferred()
    core.handle(event, at: now, into: &commands, &deferred)
    settle(commands)
  }

  /// Carries out the client's commands, those that its app has caused included, and shows the new state.
  private mutating func settle(_ commands: [HostCommand]) {
    for command in commands {
      if case .connect = command {
        handle(.connected)
        // Frames of the new connection arrive at once.
        now = now.advanced(byMilliseconds: 1)
      }
    }
    if case .waiting(let until) = core.machine.phase {
      now = max(now, until)
      handle(.woken)
    }
    show()
  }

  private mutating func show() {
    let events = core.feeds[feed]?.takeAll() ?? []
    if !events.isEmpty, !model.show(ModelUpdate(events, core)) { _ = model.show(ModelUpdate([], core, isReload: true)) }
    guard let state = core.replica?.state, !core.connection.hasEnded else { return }
    for (handle, items) in zip(state.handles, model.collections) {
      let shown = core.identities.shown(state.items(in: handle, from: 0, limit: .max))
      // Without an event, too, so that what changes silently is found where it does.
      hold(items == shown, "in \(handle.rawValue) the model shows \(items) and not \(shown)")
    }
  }

  /// - Returns: Whether a table ever stood.
  func finish() -> Bool {
    let broken = core.replica?.state.brokenInvariant(isJudged: false)
    hold(broken == nil, "the client shows \(broken ?? "")")
    return wasLive
  }
}

/// The arrays of a table's model.
private struct ShownModel {
  private(set) var collections: [[Item]] = []

  /// - Returns: Whether the changes fitted.
  mutating func show(_ update: ModelUpdate) -> Bool {
    if let everything = update.everything {
      collections = everything
      return true
    }
    guard update.status != nil else { return true }
    // A table of another type needs another model; here it begins anew.
    guard update.counts.count == collections.count else { return false }
    let indices = Dictionary(
      uniqueKeysWithValues: collections.indices.map { (CollectionHandle(rawValue: UInt32($0 + 1)), $0) })
    guard let edited = update.edits(indices: indices, of: { collections[$0] }) else { return false }
    for (index, items) in edited { collections[index] = items }
    return true
  }
}

extension ConnectionState {
  fileprivate var hasEnded: Bool { if case .ended = self { true } else { false } }
}
