package import BaizeSync
import BaizeTable
package import BaizeWire
package import BaizeWorkload

/// Messages of a daemon, or of somebody between it and its client, that are almost right for a client: most of what they name
/// exists there, and the numbers are near the right ones or at their extremes.
extension DecisionSource {
  package mutating func message(to client: ClientMachine) -> ServerMessage {
    let known = HostileKnowledge(of: client)
    switch below(24) {
    case 0, 1: return .welcome(welcome(to: client, known))
    case 2...5: return .snapshot(snapshotPart(to: client, known))
    case 6...13: return .diff(diff(to: client, known))
    case 14...18: return .outcome(outcome(to: client, known))
    case 19:
      return .pong(
        Pong(
          nonce: number(), revision: id(near: known.revision), viewHash: pick([0, 1, .max]),
          epoch: id(near: known.epoch)))
    case 20: return .seats(seats(of: client))
    case 21: return .drag(drag(by: known))
    case 22:
      return .goodbye(
        Goodbye(
          pick([.malformed, .frameTooLarge, .badCredential, .reseated, .slow, .timeout, GoodbyeReason(rawValue: "?")]),
          detail: pick(["", "because"]), isResumable: !happens(onceIn: 8),
          retryAfterMilliseconds: pick([0, 1, 1_000, .max])))
    default: return .unknown
    }
  }

  // MARK: Joining

  private mutating func welcome(to client: ClientMachine, _ known: HostileKnowledge) -> Welcome {
    let old = client.welcome
    let name = pick(SimulatedTypes.names)
    let type = old == nil || happens(onceIn: 8) ? SimulatedTypes.type(named: name) : client.replica?.state.type
    return Welcome(
      session: id(near: old?.session ?? SessionID(rawValue: 1)),
      seat: SeatNumber(rawValue: happens(onceIn: 8) ? UInt32(truncatingIfNeeded: number()) : old?.seat.rawValue ?? 1),
      person: id(near: old?.person ?? SessionID(rawValue: 1)),
      ticket: happens(onceIn: 4) ? bytes(pick([0, 3, 24, 200])) : old?.ticket ?? [1], epoch: id(near: known.epoch),
      revision: id(near: known.revision),
      lastSequence: id(near: known.lastSequence),
      tableType: happens(onceIn: 3) ? "" : happens(onceIn: 16) ? "{" : type?.document ?? "",
      options: type?.options ?? [], frameBytesMax: pick([256 << 10, 256 << 10, .max, 0, 100]),
      history: pick([1_024, 0, .max]), heartbeatSeconds: pick([15, 0, 1, .max]), server: pick(["", "baized/0"]),
      pendingMax: pick([256, 256, 1, 0, .max]), invite: pick(["", "", "key", String(repeating: "k", count: 200)]))
  }

  private mutating func seats(of client: ClientMachine) -> [Seat] {
    var seats = client.replica?.state.seats ?? []
    if seats.isEmpty || happens(onceIn: 2) {
      let session = happens(onceIn: 2) ? client.welcome?.session : nil
      seats.append(
        Seat(
          number: SeatNumber(rawValue: pick([0, 1, 2, 7, .max])), name: pick(["", "Ada"]),
          person: session ?? id(near: SessionID(rawValue: 2)), isConnected: happens(onceIn: 2)))
    }
    if happens(onceIn: 4) { seats.append(pick(seats)) }
    return seats
  }

  // MARK: Snapshots

  private mutating func snapshotPart(to client: ClientMachine, _ known: HostileKnowledge) -> SnapshotPart {
    let state = client.replica?.state
    let handles = state?.handles ?? [CollectionHandle(rawValue: 1)]
    var items: [Item] = []
    for handle in handles {
      items += (state?.items(in: handle, from: 0, limit: 8) ?? []).filter { !$0.id.isProvisional }
    }
    if happens(onceIn: 2) { items.append(item(at: state, known)) }
    return SnapshotPart(
      epoch: id(near: known.epoch), revision: id(near: known.revision),
      collections: happens(onceIn: 8)
        ? []
        : handles.map { handle in
          CollectionSummary(
            handle: happens(onceIn: 32) ? CollectionHandle(rawValue: pick([0, 99, .max])) : handle, id: "",
            count: happens(onceIn: 8) ? pick([1, 5, .max]) : UInt32(clamping: state?.count(in: handle) ?? 0),
            isEnabled: !happens(onceIn: 8))
        },
      items: items, status: pick(["open", "open", "won", ""]), isComplete: !happens(onceIn: 4),
      isFirst: !happens(onceIn: 4), lastSequence: id(near: known.lastSequence), variables: variables(),
      seats: seats(of: client))
  }

  private mutating func variables() -> [Attribute] {
    (0..<below(3)).map { _ in Attribute(name: pick(["turn", "redeals", "drawn", "x", ""]), value: value()) }
  }

  /// Returns an item of the table, or one that may be new.
  private mutating func item(at state: TableState?, _ known: HostileKnowledge) -> Item {
    let id =
      happens(onceIn: 8)
      ? number() : happens(onceIn: 4) ? 1 << 51 + UInt64(below(99)) : 1_000 + UInt64(below(500))
    let isAlias = state.map { $0.type.offersAliases && happens(onceIn: 3) } ?? false
    return Item(
      id: ItemID(rawValue: id), collection: collection(of: known), face: newItem().face,
      visibility: happens(onceIn: 4) ? .nobody : .everyone, isPinned: happens(onceIn: 8),
      aliasOf: isAlias ? item(of: known) : .none)
  }

  // MARK: Diffs and outcomes

  private mutating func diff(to client: ClientMachine, _ known: HostileKnowledge) -> Diff {
    let own = client.replica?.pending.map(\.operation.sequence) ?? []
    let isOwn = !own.isEmpty && happens(onceIn: 2)
    var diff = Diff(
      revision: happens(onceIn: 8) ? id(near: known.revision) : Revision(rawValue: known.revision.rawValue &+ 1),
      author: isOwn ? client.welcome?.session ?? .daemon : SessionID(rawValue: pick([0, 1, 2, 1 << 53 - 1])),
      sequence: isOwn && !happens(onceIn: 8) ? pick(own) : id(near: SequenceNumber(rawValue: 1)),
      operation: pick(DropOperation.allCases), isRebased: happens(onceIn: 8), isRedirected: happens(onceIn: 8),
      minted: happens(onceIn: 3) ? items(of: known) : [])
    for _ in 0..<below(4) { diff.append(change(to: client, known), for: .everyone) }
    return diff
  }

  private mutating func change(to client: ClientMachine, _ known: HostileKnowledge) -> Change {
    let state = client.replica?.state
    switch below(16) {
    case 0...4: return .moved(items(of: known), placement(by: known))
    case 5...7: return .inserted((0..<1 + below(2)).map { _ in item(at: state, known) }, placement(by: known))
    case 8, 9: return .removed(items(of: known))
    case 10, 11:
      return .faced([
        Item(
          id: item(of: known), collection: collection(of: known), face: newItem().face,
          visibility: happens(onceIn: 2) ? .nobody : .everyone, isPinned: happens(onceIn: 4))
      ])
    case 12: return .status(pick(["open", "won", ""]))
    case 13:
      return happens(onceIn: 2) ? .enabled(collection(of: known), happens(onceIn: 2)) : .variables(variables())
    case 14: return .counted(collection(of: known), pick([0, 1, 5, Int(UInt32.max)]))
    default: return .seats(seats(of: client))
    }
  }

  private mutating func placement(by known: HostileKnowledge) -> Placement {
    let destination = destination(by: known)
    var placement = Placement(collection: destination.collection, position: destination.position)
    if happens(onceIn: 2) { placement.gone = Vacancy(item: item(of: known), revision: id(near: known.revision)) }
    return placement
  }

  private mutating func outcome(to client: ClientMachine, _ known: HostileKnowledge) -> Outcome {
    let own = client.replica?.pending.map(\.operation.sequence) ?? []
    return Outcome(
      sequence: own.isEmpty || happens(onceIn: 8) ? id(near: own.last ?? SequenceNumber(rawValue: 1)) : pick(own),
      verdict: pick([.refused, .unchanged, .duplicate, .retry, .retry]),
      refusal: Refusal(pick([.forbidden, .staleBase, .storage, .rateLimited, Reason(rawValue: "")])),
      revision: id(near: known.revision), minted: happens(onceIn: 3) ? items(of: known) : [],
      isRedirected: happens(onceIn: 4), invite: happens(onceIn: 8) ? "key" : "")
  }
}

extension HostileKnowledge {
  /// Knows what a client has of its table.
  package init(of client: ClientMachine) {
    self.init()
    guard let replica = client.replica else { return }
    (epoch, revision, lastSequence) = (replica.epoch, replica.confirmedRevision, replica.lastSequence)
    items = replica.state.handles.flatMap { replica.state.items(in: $0, from: 0, limit: .max).map(\.id) }
    collectionCount = max(1, replica.state.handles.count)
    actions = replica.state.type.actions.map(\.name)
  }
}
