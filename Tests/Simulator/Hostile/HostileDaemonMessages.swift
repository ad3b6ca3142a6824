package import BaizeSync
import BaizeTable
package import BaizeWire
import BaizeWorkload

/// Messages of a daemon, or of somebody between it and its client, that are almost right for a client: most of what they name
/// exists there, and the numbers are near the right ones or at their extremes.
extension DecisionSource {
  package mutating func message(to client: ClientMachine) -> ServerMessage {
    let state = client.replica?.state
    switch below(24) {
    case 0, 1: return .welcome(welcome(to: client))
    case 2...5: return .snapshot(snapshotPart(to: client))
    case 6...13: return .diff(diff(to: client))
    case 14...18: return .outcome(outcome(to: client))
    case 19:
      let revision = number(closeTo: client.replica?.confirmedRevision.rawValue ?? 0)
      return .pong(
        Pong(
          nonce: number(), revision: Revision(rawValue: revision), viewHash: pick([0, 1, .max]),
          epoch: Epoch(rawValue: number(closeTo: client.replica?.epoch.rawValue ?? 1))))
    case 20: return .seats(seats(of: client))
    case 21: return .drag(drag(at: state))
    case 22:
      return .goodbye(
        Goodbye(
          pick([.malformed, .frameTooLarge, .tokenInvalid, .reseated, .slow, .timeout, GoodbyeReason(rawValue: "?")]),
          detail: pick(["", "because"]), isResumable: !happens(onceIn: 8),
          retryAfterMilliseconds: pick([0, 1, 1_000, .max])))
    default: return .unknown
    }
  }

  /// Returns a number near a valid one, or at an extreme of those that are read.
  private mutating func number(closeTo right: UInt64) -> UInt64 {
    happens(onceIn: 8) ? pick([0, 1, 1 << 40, 1 << 53 - 1, 1 << 53 - 2, 1 << 53, .max, .max - 1]) : number(near: right)
  }

  // MARK: Joining

  private mutating func welcome(to client: ClientMachine) -> Welcome {
    let (old, replica) = (client.welcome, client.replica)
    let name = pick(SimulatedTypes.names)
    let type = old == nil || happens(onceIn: 8) ? SimulatedTypes.type(named: name) : replica?.state.type
    return Welcome(
      session: SessionID(rawValue: number(closeTo: old?.session.rawValue ?? 1)),
      seat: SeatNumber(rawValue: happens(onceIn: 8) ? UInt32(truncatingIfNeeded: number()) : old?.seat.rawValue ?? 1),
      resumeToken: bytes(pick([0, 3, 24, 200])), epoch: Epoch(rawValue: number(closeTo: replica?.epoch.rawValue ?? 1)),
      revision: Revision(rawValue: number(closeTo: replica?.confirmedRevision.rawValue ?? 1)),
      lastSequence: SequenceNumber(rawValue: number(closeTo: replica?.lastSequence.rawValue ?? 0)),
      tableType: happens(onceIn: 3) ? "" : happens(onceIn: 16) ? "{" : type?.document ?? "",
      options: type?.options ?? [], frameBytesMax: pick([256 << 10, 256 << 10, .max, 0, 100]),
      history: pick([1_024, 0, .max]), heartbeatSeconds: pick([15, 0, 1, .max]), server: pick(["", "baized/0"]),
      pendingMax: pick([256, 256, 1, 0, .max]), invite: pick(["", "", "key", String(repeating: "k", count: 200)]))
  }

  private mutating func seats(of client: ClientMachine) -> [Seat] {
    var seats = client.replica?.state.seats ?? []
    if seats.isEmpty || happens(onceIn: 2) {
      let session = happens(onceIn: 2) ? client.welcome?.session.rawValue ?? 1 : number(closeTo: 2)
      seats.append(
        Seat(
          number: SeatNumber(rawValue: pick([0, 1, 2, 7, .max])), name: pick(["", "Ada"]),
          session: SessionID(rawValue: session), isConnected: happens(onceIn: 2)))
    }
    if happens(onceIn: 4), !seats.isEmpty { seats.append(pick(seats)) }
    return seats
  }

  // MARK: Snapshots

  private mutating func snapshotPart(to client: ClientMachine) -> SnapshotPart {
    let replica = client.replica
    let state = replica?.state
    var items: [Item] = []
    for handle in state?.handles ?? [CollectionHandle(rawValue: 1)] {
      items += (state?.items(in: handle, from: 0, limit: 8) ?? []).filter { !$0.id.isProvisional }
    }
    if happens(onceIn: 2) { items.append(item(at: state)) }
    let handles = state?.handles ?? [CollectionHandle(rawValue: 1)]
    return SnapshotPart(
      epoch: Epoch(rawValue: number(closeTo: replica?.epoch.rawValue ?? 1)),
      revision: Revision(rawValue: number(closeTo: replica?.confirmedRevision.rawValue ?? 1)),
      collections: happens(onceIn: 8)
        ? []
        : handles.map { handle in
          CollectionSummary(
            handle: happens(onceIn: 32) ? CollectionHandle(rawValue: pick([0, 99, .max])) : handle, id: "",
            count: happens(onceIn: 8) ? pick([1, 5, .max]) : UInt32(clamping: state?.count(in: handle) ?? 0),
            isEnabled: !happens(onceIn: 8))
        },
      items: items, status: pick(["open", "open", "won", ""]), isComplete: !happens(onceIn: 4),
      isFirst: !happens(onceIn: 4),
      lastSequence: SequenceNumber(rawValue: number(closeTo: replica?.lastSequence.rawValue ?? 0)),
      variables: variables(), seats: seats(of: client))
  }

  private mutating func variables() -> [Attribute] {
    (0..<below(3)).map { _ in
      let value: AttributeValue? = pick([nil, .number(1), .number(.max), .number(.min), .text("x")])
      return Attribute(name: pick(["turn", "redeals", "drawn", "x", ""]), value: value)
    }
  }

  // MARK: Items

  /// Returns an item of the table, or one that may be new.
  private mutating func item(at state: TableState?) -> Item {
    let id =
      happens(onceIn: 8)
      ? number() : happens(onceIn: 4) ? 1 << 51 + UInt64(below(99)) : 1_000 + UInt64(below(500))
    let isAlias = state.map { $0.type.offersAliases && happens(onceIn: 3) } ?? false
    return Item(
      id: ItemID(rawValue: id), collection: handle(at: state), face: face(),
      visibility: happens(onceIn: 4) ? .nobody : .everyone, isPinned: happens(onceIn: 8),
      aliasOf: isAlias ? known(at: state) : .none)
  }

  private mutating func face() -> Face {
    let value: AttributeValue = pick([.number(3), .number(.max), .number(.min), .text("hearts"), .text("")])
    return Face(
      attributes: [Attribute(name: pick(["rank", "number", "suit"]), value: value)],
      representations: happens(onceIn: 8) ? [Representation(contentType: "text/plain", data: [1])] : [])
  }

  private mutating func handle(at state: TableState?) -> CollectionHandle {
    let handles = state?.handles.count ?? 1
    return CollectionHandle(rawValue: happens(onceIn: 16) ? pick([0, 99, .max]) : UInt32(1 + below(handles)))
  }

  /// Returns the id of an item on the table, mostly.
  private mutating func known(at state: TableState?) -> ItemID {
    guard let state, !happens(onceIn: 8) else { return ItemID(rawValue: pick([0, 1, 7, 1 << 52, 1 << 51, .max])) }
    let collection = handle(at: state)
    let count = min(state.count(in: collection), 1 << 16)
    return count == 0 ? .none : state.items(in: collection, from: below(count), limit: 1).first?.id ?? .none
  }

  private mutating func destination(at state: TableState?) -> Destination {
    Destination(
      collection: handle(at: state), position: happens(onceIn: 2) ? .end : Position(anchor: known(at: state)))
  }

  private mutating func ids(at state: TableState?) -> ItemList {
    ItemList((0..<1 + below(3)).map { _ in known(at: state) })
  }

  private mutating func drag(at state: TableState?) -> Drag {
    Drag(
      session: SessionID(rawValue: number(closeTo: 2)), phase: pick([.began, .moved, .ended, .cancelled]),
      items: ids(at: state), over: happens(onceIn: 2) ? destination(at: state) : nil, x: pick([0, .max, .min]),
      y: pick([0, .max, .min]), isRefused: happens(onceIn: 4))
  }

  // MARK: Diffs and outcomes

  private mutating func diff(to client: ClientMachine) -> Diff {
    let replica = client.replica
    let own = replica?.pending.map(\.operation.sequence.rawValue) ?? []
    let isOwn = !own.isEmpty && happens(onceIn: 2)
    var diff = Diff(
      revision: Revision(
        rawValue: happens(onceIn: 8)
          ? number(closeTo: replica?.confirmedRevision.rawValue ?? 0)
          : (replica?.confirmedRevision.rawValue ?? 0) &+ 1),
      author: isOwn ? client.welcome?.session ?? .daemon : SessionID(rawValue: pick([0, 1, 2, 1 << 53 - 1])),
      sequence: SequenceNumber(rawValue: isOwn && !happens(onceIn: 8) ? pick(own) : number(closeTo: 1)),
      operation: pick(DropOperation.allCases), isRebased: happens(onceIn: 8), isRedirected: happens(onceIn: 8),
      minted: happens(onceIn: 3) ? ids(at: replica?.state) : [])
    for _ in 0..<below(4) { diff.append(change(at: replica?.state, client), for: .everyone) }
    return diff
  }

  private mutating func change(at state: TableState?, _ client: ClientMachine) -> Change {
    switch below(16) {
    case 0...4: .moved(ids(at: state), destination(at: state))
    case 5...7: .inserted((0..<1 + below(2)).map { _ in item(at: state) }, destination(at: state))
    case 8, 9: .removed(ids(at: state))
    case 10, 11:
      .faced(
        [
          Item(
            id: known(at: state), collection: handle(at: state), face: face(),
            visibility: happens(onceIn: 2) ? .nobody : .everyone, isPinned: happens(onceIn: 4))
        ])
    case 12: .status(pick(["open", "won", ""]))
    case 13: happens(onceIn: 2) ? .enabled(handle(at: state), happens(onceIn: 2)) : .variables(variables())
    case 14: .counted(handle(at: state), pick([0, 1, 5, Int(UInt32.max)]))
    default: .seats(seats(of: client))
    }
  }

  private mutating func outcome(to client: ClientMachine) -> Outcome {
    let own = client.replica?.pending.map(\.operation.sequence.rawValue) ?? []
    let sequence = own.isEmpty || happens(onceIn: 8) ? number(closeTo: own.last ?? 1) : pick(own)
    return Outcome(
      sequence: SequenceNumber(rawValue: sequence), verdict: pick([.refused, .unchanged, .duplicate, .retry, .retry]),
      refusal: Refusal(pick([.forbidden, .staleBase, .storage, .rateLimited, Reason(rawValue: "")])),
      revision: Revision(rawValue: number(closeTo: client.replica?.confirmedRevision.rawValue ?? 0)),
      minted: happens(onceIn: 3) ? ids(at: client.replica?.state) : [], isRedirected: happens(onceIn: 4),
      invite: happens(onceIn: 8) ? "key" : "")
  }
}
