import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire
import BaizeWorkload

/// One connection after the other to a shard, and a replica of the table.
final class HostilePeer {
  let slot: Int
  private(set) var connection: ConnectionID?
  /// The table of its last hello.
  private(set) var table = ""
  private(set) var isAtTable = false
  private(set) var session = SessionID.daemon
  var credential: [UInt8] { Array(repeating: UInt8(truncatingIfNeeded: slot + 1), count: WireLimits.credentialBytes) }
  private(set) var ticket: [UInt8] = []
  private(set) var epoch = Epoch(rawValue: 0)
  /// Whether the table continued under another epoch while it was a member.
  private var isReadmitted = false
  private(set) var lastSequence = SequenceNumber.zero
  private var hello: Hello?
  private var type: TableType?
  private var snapshot = SnapshotReader()
  private var replica: Replica?
  /// The table that the replica is of.
  private var replicaTable = ""
  /// The operations that were sent to the table and have no answer.
  private var unanswered: Set<SequenceNumber> = []
  private var hasRested = false
  /// The maximum number of pending operations; a peer that exceeds it, or sends wrong numbers, is owed no answer (O1, O4).
  private var pendingMax = 0
  private var keepsCount = true

  /// Of the ping that ends a script.
  static let lastNonce: UInt64 = 0xBA12E

  init(slot: Int) { self.slot = slot }

  var revision: Revision { replica?.confirmedRevision ?? .zero }

  /// Its knowledge of its table, which is in `state`.
  func knowledge(of state: TableState?) -> HostileKnowledge {
    var knowledge = state.map { HostileKnowledge($0, after: lastSequence) } ?? HostileKnowledge()
    (knowledge.epoch, knowledge.revision, knowledge.lastSequence) = (epoch, revision, lastSequence)
    return knowledge
  }

  // MARK: Connections

  func begin(_ connection: ConnectionID) {
    lose()
    self.connection = connection
  }

  func lose() {
    connection = nil
    isAtTable = false
    hello = nil
    snapshot = SnapshotReader()
    unanswered = []
  }

  func willSend(_ hello: Hello) {
    guard connection != nil, self.hello == nil else { return }
    self.hello = hello
    table = hello.table
  }

  func willSend(_ message: ClientMessage?) {
    guard case .operation(let operation)? = message, isAtTable else { return }
    // The snapshot answers operations of an earlier epoch (K6), whenever they are sent.
    guard !isReadmitted || operation.epoch >= epoch else { return }
    unanswered.insert(operation.sequence)
    keepsCount = keepsCount && operation.sequence <= lastSequence.next && unanswered.count <= pendingMax
    if operation.sequence == lastSequence.next { lastSequence = operation.sequence }
  }

  // MARK: Receiving

  func receive(_ frame: UnsafeRawBufferPointer) {
    do {
      receive(try ServerMessage(delivery: frame))
    } catch {
      hold(false, "the daemon sent what cannot be read: \(error)")
    }
  }

  private func receive(_ message: ServerMessage) {
    trace("  \(slot) receives \(message)")
    switch message {
    case .welcome(let welcome): receive(welcome)
    case .snapshot(let part): receive(part)
    case .diff(let diff): receive(diff)
    case .outcome(let outcome):
      hold(isAtTable, "an outcome without a welcome")
      unanswered.remove(outcome.sequence)
      if outcome.verdict == .retry, outcome.sequence <= lastSequence {
        lastSequence = SequenceNumber(rawValue: outcome.sequence.rawValue - 1)
      }
    case .pong(let pong):
      hasRested = hasRested || pong.nonce == Self.lastNonce
      hold(replica?.agrees(with: pong) != false, "the copy of table \(table) differs at \(pong.revision.rawValue)")
    case .goodbye:
      isAtTable = false
      unanswered = []
    case .drag, .seats, .presence, .chat, .countdown, .tokenTime, .watching, .unknown: break
    }
  }

  private func receive(_ welcome: Welcome) {
    hold(!isAtTable && hello != nil, "a welcome without a hello")
    isAtTable = true
    (session, epoch, lastSequence) = (welcome.session, welcome.epoch, welcome.lastSequence)
    (pendingMax, keepsCount, isReadmitted) = (Int(welcome.pendingMax), true, false)
    let isOwn = hello?.credential == credential
    ticket = welcome.ticket
    if welcome.tableType.isEmpty {
      // The revision that the hello claimed may be false; then diffs cannot be applied until a snapshot arrives.
      let isHeld =
        isOwn && replicaTable == table && replica?.epoch == welcome.epoch && revision == hello?.revision
      // The table's type is unknown, too: the peer whose session this was has received it, not this one.
      if !isHeld { (replica, type) = (nil, nil) }
    } else {
      replica = nil
      do {
        type = try SimulatedTypes().tableType(document: welcome.tableType, options: welcome.options)
      } catch {
        hold(false, "a welcome with a document that is none: \(error)")
      }
    }
    replicaTable = table
  }

  private func receive(_ part: SnapshotPart) {
    hold(isAtTable, "a snapshot without a welcome")
    var loaded: TableState?
    do throws(DiffMismatch) {
      loaded = try snapshot.add(part, of: type)
    } catch {
      hold(false, "a snapshot of table \(table) does not load: \(error.detail)")
    }
    guard part.isComplete else { return }
    // This answers the operations sent before the table continued under another epoch (K6).
    if part.epoch != epoch {
      unanswered = []
      isReadmitted = true
    }
    (epoch, lastSequence) = (part.epoch, part.lastSequence)
    replica = loaded.map { Replica($0, from: part, session: session) }
    replica?.reportsChanges = false
  }

  private func receive(_ diff: Diff) {
    hold(isAtTable, "a diff without a welcome")
    hold(!snapshot.isLoading, "a diff between the parts of a snapshot")
    if diff.author == session { unanswered.remove(diff.sequence) }
    do throws(DiffMismatch) {
      _ = try replica?.receive(diff)
    } catch {
      hold(false, "a diff of table \(table) does not fit: \(error.detail)")
    }
  }

  // MARK: The end

  /// Everything has come to rest.
  func expectRest() {
    guard isAtTable else { return }
    hold(hasRested, "a ping at table \(table) has no answer")
    hold(!snapshot.isLoading, "a snapshot of table \(table) has no end")
    hold(
      unanswered.isEmpty || !keepsCount,
      "operations \(unanswered.map(\.rawValue).sorted()) at table \(table) have no answer")
    let broken = replica?.state.brokenInvariant()
    hold(broken == nil, "the copy of table \(table): \(broken ?? "")")
  }
}
