import BaizeTable
import BaizeWire

/// Legal messages of every kind, with values of all sizes, which depend on the seed alone.
struct RandomMessages {
  private var source: RandomSource

  init(seed: UInt64) { source = RandomSource(seed: seed) }

  mutating func below(_ bound: Int) -> Int { Int(source.next(below: UInt64(bound))) }

  mutating func clientMessage() -> ClientMessage {
    switch below(6) {
    case 0:
      .hello(
        Hello(
          version: small(), table: text(), tableType: text(), name: text(), role: below(2) == 0 ? .player : .spectator,
          invite: text(), resumeToken: bytes(), epoch: Epoch(rawValue: word()), revision: Revision(rawValue: word()),
          seed: word()))
    case 1:
      .operation(
        TableOperation(
          sequence: SequenceNumber(rawValue: word()), base: Revision(rawValue: word()), epoch: Epoch(rawValue: word()),
          unanswered: small(), kind: kind()))
    case 2: .drag(drag())
    case 3: .ping(Ping(nonce: word(), wantsHash: flag()))
    case 4: .snapshotRequest(why: text())
    default: .goodbye(goodbye())
    }
  }

  mutating func serverMessage() -> ServerMessage {
    switch below(8) {
    case 0:
      .welcome(
        Welcome(
          version: small(), session: SessionID(rawValue: word()), seat: SeatNumber(rawValue: small()),
          resumeToken: bytes(), epoch: Epoch(rawValue: word()), revision: Revision(rawValue: word()),
          lastSequence: SequenceNumber(rawValue: word()), tableType: text(), options: list { $0.attribute() },
          frameBytesMax: small(), history: small(), heartbeatSeconds: small(), server: text(), pendingMax: small(),
          invite: text()))
    case 1:
      .snapshot(
        SnapshotPart(
          epoch: Epoch(rawValue: word()), revision: Revision(rawValue: word()),
          collections: list {
            CollectionSummary(handle: $0.handle(), id: $0.text(), count: $0.small(), isEnabled: $0.flag())
          }, items: list { $0.item() }, status: text(), isComplete: flag(), isFirst: flag(),
          lastSequence: SequenceNumber(rawValue: word()), variables: list { $0.attribute() }, seats: list { $0.seat() })
      )
    case 2:
      .diff(
        Diff(
          revision: Revision(rawValue: word()), author: SessionID(rawValue: word()),
          sequence: SequenceNumber(rawValue: word()), changes: InlineList(list { $0.change() }),
          operation: DropOperation.allCases[below(DropOperation.allCases.count)], isRebased: flag(),
          isRedirected: flag(), minted: items()))
    case 3:
      .outcome(
        Outcome(
          sequence: SequenceNumber(rawValue: word()), verdict: Verdict(rawValue: UInt32(below(4))) ?? .refused,
          refusal: Refusal(Reason(rawValue: text()), rule: text(), detail: text()),
          revision: Revision(rawValue: word()),
          invite: text()))
    case 4: .drag(drag())
    case 5:
      .pong(
        Pong(
          nonce: word(), revision: Revision(rawValue: word()), viewHash: word(), epoch: Epoch(rawValue: word())))
    case 6: .seats(list { $0.seat() })
    default: .goodbye(goodbye())
    }
  }

  // MARK: Parts

  private mutating func kind() -> TableOperation.Kind {
    switch below(7) {
    case 0:
      .reorder(
        ReorderDifference(sources: items(), destination: destination()),
        suggested: DropOperation.Set(rawValue: small()))
    case 1:
      .insert(
        list { NewItem(attributes: $0.list { $0.attribute() }, representations: $0.list { $0.representation() }) },
        destination())
    case 2: .remove(items())
    case 3:
      .update(
        item().id, attributes: list { $0.attribute() }, representations: list { $0.representation() })
    case 4: .perform(action: text(), items: items(), flag() ? destination() : nil)
    case 5: .undo(SequenceNumber(rawValue: word()))
    default: .unknown
    }
  }

  private mutating func change() -> Change {
    switch below(9) {
    case 0: .moved(items(), destination())
    case 1: .inserted(list { $0.item() }, destination())
    case 2: .removed(items())
    case 3: .faced(list { $0.item() })
    case 4: .status(text())
    case 5: .enabled(handle(), flag())
    case 6: .counted(handle(), Int(small()))
    case 7: .variables(list { $0.attribute() })
    default: .seats(list { $0.seat() })
    }
  }

  private mutating func drag() -> Drag {
    Drag(
      session: SessionID(rawValue: word()), phase: Drag.Phase(rawValue: UInt32(below(4))) ?? .began, items: items(),
      over: flag() ? destination() : nil, formation: Drag.Formation.allCases[below(Drag.Formation.allCases.count)],
      x: Int32(bitPattern: small()), y: Int32(bitPattern: small()), isRefused: flag())
  }

  private mutating func goodbye() -> Goodbye {
    Goodbye(
      GoodbyeReason(rawValue: text()), detail: text(), isResumable: flag(), retryAfterMilliseconds: small(),
      redirect: text())
  }

  private mutating func item() -> Item {
    guard flag() else { return Item(id: ItemID(rawValue: word()), collection: handle(), visibility: .nobody) }
    let face = Face(attributes: list { $0.attribute() }, representations: list { $0.representation() })
    return Item(id: ItemID(rawValue: word()), collection: handle(), face: face, isPinned: flag())
  }

  private mutating func attribute() -> Attribute {
    switch below(3) {
    case 0: Attribute(text(), Int64(bitPattern: word()))
    case 1: Attribute(text(), text())
    default: Attribute(name: text(), value: nil)
    }
  }

  private mutating func representation() -> Representation { Representation(contentType: text(), data: bytes()) }

  private mutating func seat() -> Seat {
    Seat(
      number: SeatNumber(rawValue: small()), name: text(), session: SessionID(rawValue: word()), isConnected: flag())
  }

  private mutating func destination() -> Destination {
    Destination(
      collection: handle(), position: Position(anchor: ItemID(rawValue: word())), then: ItemID(rawValue: word()))
  }

  private mutating func items() -> ItemList { ItemList(list { ItemID(rawValue: $0.word()) }) }

  private mutating func handle() -> CollectionHandle { CollectionHandle(rawValue: small()) }

  // MARK: Values

  private mutating func list<Element>(_ element: (inout Self) -> Element) -> [Element] {
    var list: [Element] = []
    for _ in 0..<[0, 1, 1, 2, 5][below(5)] { list.append(element(&self)) }
    return list
  }

  /// Every length in bits is equally likely.
  private mutating func word() -> UInt64 { source.next() >> UInt64(below(65)) }
  private mutating func small() -> UInt32 { UInt32(truncatingIfNeeded: word()) >> UInt32(below(33)) }
  private mutating func flag() -> Bool { below(2) == 1 }
  private mutating func bytes() -> [UInt8] { (0..<below(40)).map { _ in UInt8(below(256)) } }

  private mutating func text() -> String {
    let letters = ["", "a", "é", "♥", "🂡", "\u{0}"]
    return (0..<below(9)).map { _ in letters[below(letters.count)] }.joined()
  }
}
