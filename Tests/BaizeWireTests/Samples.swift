import BaizeTable
import BaizeWire

/// The messages of the vectors, written a second time, as values.
enum Samples {
  static let client: [String: ClientMessage] = [
    "client.empty": .unknown,
    "client.hello.empty": .hello(Hello(version: 0, table: "")),
    "client.hello.join": .hello(Hello(table: "t")),
    "client.hello.full": .hello(
      Hello(
        table: "friday.night_7-b", tableType: "klondike?draw=3", name: "Zoë ♥", role: .spectator,
        invite: "open sesame", credential: Array(100..<132), sessionName: Array(0..<16), ticket: [0, 1, 127, 128, 255],
        attempt: 1_767_225_600_001, epoch: epoch(3), revision: revision(70_000), seed: .max,
        signedToken: "e30.e30.AA")),
    "client.operation.empty": operation(0, .unknown, base: 0, epoch: 0),
    "client.operation.no-kind": operation(9, .unknown, base: 8, epoch: 1),
    "client.operation.reorder.one": operation(
      12,
      .move([item(17)], to: gap(before: item(29), after: .item(item(31)))), base: 345, epoch: 2, unanswered: 1),
    "client.operation.reorder.start": operation(
      12,
      .move([item(17)], to: gap(before: item(29), after: .start, beforeBy: .zero, container: item(31))), base: 345,
      epoch: 2, unanswered: 1),
    "client.operation.reorder.placed": operation(
      13,
      .move([item(17)], to: gap(before: item(29), after: .item(item(31)), beforeBy: sequence(12), afterBy: .zero)),
      base: 345, epoch: 2, unanswered: 2),
    "client.operation.reorder.end": operation(
      1, .move([item(300)], to: .end(of: handle(1))), base: 0,
      epoch: 1),
    "client.operation.made-as": operation(3, .remove([item(5)]), base: 7, epoch: 1, madeAs: 2),
    "client.operation.base-lost": operation(3, .remove([item(5)]), base: 7, epoch: 2, isBaseLost: true),
    "client.operation.reorder.many": operation(
      4_294_967_296,
      .move(
        [
          item(5), item(127), item(128), item(16384), item(1 << 52 - 1),
          .provisional(operation: sequence(1), number: 0),
        ],
        to: gap(
          handle(.max), before: .provisional(operation: sequence(1), number: 1), after: .item(item(1 << 53 - 1)),
          beforeBy: sequence(1 << 32 - 1), afterBy: sequence(1 << 53 - 1)), suggested: [.copy, .move, .alias, .delete]),
      base: 1 << 53 - 1, epoch: 1 << 53 - 1,
      unanswered: .max),
    "client.operation.reorder.nothing": operation(
      2, .move(ItemList(), to: .end(of: handle(0))), base: 0,
      epoch: 0),
    "client.operation.insert": operation(
      3,
      .insert(
        [
          NewItem(
            attributes: [
              Attribute("title", "buy milk"), Attribute("rank", -1), Attribute("note", ""), Attribute("low", .min),
              Attribute("done", 0),
            ],
            representations: [
              Representation(contentType: "text/plain", data: Array("buy milk".utf8)),
              Representation(contentType: "application/octet-stream", data: []),
            ]),
          NewItem(),
          NewItem(attributes: [Attribute("high", .max)]),
        ], gap(handle(2), before: item(8), after: .item(item(7)), afterBy: sequence(2))), base: 2, epoch: 1),
    "client.operation.insert.long": operation(
      3,
      .insert(
        [
          NewItem(
            attributes: [Attribute("title", String(repeating: "ä", count: 64))],
            representations: [
              Representation(
                contentType: "text/plain", data: (0..<130).map { UInt8(ascii: "0") + UInt8($0 % 10) })
            ])
        ], .end(of: handle(2))), base: 0, epoch: 0),
    "client.operation.remove": operation(4, .remove([item(1), item(2)]), base: 3, epoch: 1),
    "client.operation.remove.nothing": operation(4, .remove(ItemList()), base: 0, epoch: 0),
    "client.operation.update": operation(
      5,
      .update(
        item(77), attributes: [Attribute("rank", 6), Attribute(name: "gone", value: nil)],
        representations: [Representation(contentType: "image/png", data: [0x89, 0x50, 0x4E, 0x47])]), base: 4, epoch: 1),
    "client.operation.update.nothing": operation(
      5, .update(.none, attributes: [Attribute(name: "", value: nil)], representations: []), base: 0, epoch: 0),
    "client.operation.perform": operation(
      6, .perform(action: "draw", items: ItemList(), nil), base: 0, epoch: 0),
    "client.operation.perform.full": operation(
      6, .perform(action: "flip", items: [item(40), item(41)], .before(item(42), in: handle(7))), base: 5, epoch: 1),
    "client.operation.perform.nowhere": operation(
      6, .perform(action: "", items: ItemList(), .end(of: handle(0))), base: 0, epoch: 0),
    "client.operation.undo": operation(7, .undo(sequence(5)), base: 6, epoch: 1),
    "client.operation.undo.nothing": operation(7, .undo(.zero), base: 0, epoch: 0),
    "client.drag.empty": .drag(Drag(phase: .began)),
    "client.drag.full": .drag(
      Drag(
        phase: .moved, items: [item(17), item(18)], over: .before(item(29), in: handle(3)), formation: .pile, x: -1,
        y: 1000)),
    "client.drag.limits": .drag(
      Drag(
        session: SessionID(rawValue: 1 << 53 - 1), phase: .cancelled, over: .end(of: handle(0)), x: .max, y: .min,
        isRefused: true)),
    "client.presence.empty": .presence(Presence(value: [])),
    "client.presence.full": .presence(Presence(value: [0, 255])),
    "client.chat.empty": .chat(Chat(text: "")),
    "client.chat.full": .chat(Chat(kind: "emote", text: "👋 é")),
    "client.signed-token.empty": .signedToken(""),
    "client.signed-token.full": .signedToken("e30.e30.AA"),
    "client.ping.empty": .ping(Ping(nonce: 0)),
    "client.ping.full": .ping(Ping(nonce: 7, wantsHash: true)),
    "client.snapshot-request.empty": .snapshotRequest(why: ""),
    "client.snapshot-request.full": .snapshotRequest(why: "hash differs at 70000"),
    "client.goodbye.empty": .goodbye(Goodbye(GoodbyeReason(rawValue: ""), isResumable: false)),
    "client.goodbye.leaving": .goodbye(Goodbye(.leaving)),
    "client.goodbye.full": .goodbye(
      Goodbye(.shutdown, detail: "back at noon", retryAfterMilliseconds: 2500, redirect: "other.example:7400")),
  ]

  static let server: [String: ServerMessage] = [
    "server.empty": .unknown,
    "server.welcome.empty": .welcome(
      Welcome(
        version: 0, session: .daemon, seat: .spectator, ticket: [], epoch: epoch(0), revision: .zero,
        lastSequence: .zero, tableType: "", frameBytesMax: 0, history: 0, heartbeatSeconds: 0, server: "", pendingMax: 0
      )
    ),
    "server.welcome.full": .welcome(
      Welcome(
        session: SessionID(rawValue: 1 << 53 - 1), seat: seat(2), person: SessionID(rawValue: 6),
        ticket: [0, 1, 127, 128, 255],
        epoch: epoch(3), revision: revision(70_000), lastSequence: sequence(41), tableType: #"{"name": "klondike"}"#,
        options: [Attribute("draw", 3), Attribute("variant", "vegas")], frameBytesMax: 1_048_576, history: 1024,
        heartbeatSeconds: 15, server: "baized/0.1.0", pendingMax: 32, invite: "open sesame")),
    "server.snapshot.empty": .snapshot(SnapshotPart(epoch: epoch(0), revision: .zero)),
    "server.snapshot.full": .snapshot(
      SnapshotPart(
        epoch: epoch(3), revision: revision(70_000),
        collections: [
          CollectionSummary(handle: handle(1), id: "pile/0", count: 1),
          CollectionSummary(handle: handle(2), id: "stock", count: 1, isEnabled: false),
          CollectionSummary(handle: handle(0), id: "", count: 0, isEnabled: false),
        ], items: faces + [Item(id: .none, collection: handle(0))], status: "open", isComplete: true, isFirst: true,
        lastSequence: sequence(41), variables: [Attribute("turn", 2)],
        seats: [ada, Seat(number: seat(2), name: "", person: .daemon)])),
    "server.diff.empty": .diff(Diff(revision: .zero, author: .daemon, sequence: .zero)),
    "server.diff.moved": .diff(oneMove),
    "server.diff.moved.far": .diff(
      Diff(
        revision: revision(70_000), author: SessionID(rawValue: 1 << 53 - 1), sequence: sequence(300),
        changes: [
          .moved(
            [item(1 << 51)],
            placement(
              handle(300), before: item(1 << 52 - 1),
              gone: Vacancy(item: item(1 << 52 - 2), revision: revision(1 << 53 - 1))))
        ], operation: .move, isRebased: true, isRedirected: true)),
    "server.diff.inserted": .diff(
      Diff(
        revision: revision(346), author: SessionID(rawValue: 5), sequence: sequence(12),
        changes: [
          .removed([item(17)]),
          .inserted(
            [Item(id: item(18), collection: handle(3))],
            placement(before: .none, gone: Vacancy(item: item(17), revision: revision(346)))),
        ])),
    "server.diff.changes": .diff(
      Diff(
        revision: revision(8), author: SessionID(rawValue: 5), sequence: sequence(3),
        changes: [
          .moved([item(1), item(128), item(16384)], .end(of: handle(1))),
          .inserted(faces, .before(item(3), in: handle(2))),
          .removed([item(1 << 52 - 1), item(1)]),
          .faced(faces),
          .status("won"),
          .enabled(handle(4), true),
          .counted(handle(5), 4_294_967_295),
          .variables([Attribute("turn", -2), Attribute("note", ""), Attribute(name: "gone", value: nil)]),
          .seats([ada]),
        ], operation: .forbidden)),
    "server.diff.changes.empty": .diff(
      Diff(
        revision: .zero, author: .daemon, sequence: .zero,
        changes: [
          .moved(ItemList(), .end(of: handle(0))), .inserted([], .end(of: handle(0))), .removed(ItemList()), .faced([]),
          .status(""), .enabled(handle(0), false), .counted(handle(0), 0), .variables([]), .seats([]),
        ])),
    "server.diff.copied": .diff(
      Diff(
        revision: revision(9), author: SessionID(rawValue: 5), sequence: sequence(4),
        changes: [.inserted([Item(id: item(200), collection: handle(2))], .end(of: handle(2)))], operation: .copy,
        minted: [item(200), .none, item(1 << 52 - 1)])),
    "server.diff.aliased": .diff(
      Diff(
        revision: revision(10), author: SessionID(rawValue: 5), sequence: sequence(5),
        changes: [
          .inserted(
            [
              Item(
                id: item(201), collection: handle(2), face: Face(attributes: [Attribute("title", "Gnossienne")]),
                aliasOf: item(17)),
              Item(id: item(202), collection: handle(2), aliasOf: item(1 << 51 - 1)),
            ], .end(of: handle(2)))
        ], operation: .alias, minted: [item(201), item(202)])),
    "server.outcome.empty": .outcome(Outcome(sequence: .zero, verdict: .refused, revision: .zero)),
    "server.outcome.refused": .outcome(
      Outcome(
        sequence: sequence(12), verdict: .refused,
        refusal: Refusal(
          Reason(rawValue: "RANK_MISMATCH"), rule: "collections/2/accepts/0", detail: "A six goes on a seven."),
        revision: revision(345))),
    "server.outcome.unchanged": .outcome(
      Outcome(sequence: sequence(12), verdict: .unchanged, revision: revision(345))),
    "server.outcome.invited": .outcome(
      Outcome(sequence: sequence(13), verdict: .unchanged, revision: revision(345), invite: "open sesame")),
    "server.outcome.duplicate": .outcome(
      Outcome(sequence: sequence(12), verdict: .duplicate, revision: revision(300))),
    "server.outcome.retry": .outcome(
      Outcome(sequence: sequence(12), verdict: .retry, refusal: Refusal(.staleBase), revision: revision(9000))),
    "server.drag.full": .drag(
      Drag(
        session: SessionID(rawValue: 1 << 53 - 1), phase: .ended, items: [item(17), item(18)],
        over: gap(before: item(29), after: .item(item(30))), formation: .stack, x: 500, y: -64, isRefused: true)),
    "server.presence.none": .presence(Presence(session: SessionID(rawValue: 5), value: [])),
    "server.presence.full": .presence(Presence(session: SessionID(rawValue: 5), value: [0, 255])),
    "server.chat.full": .chat(Chat(session: SessionID(rawValue: 5), kind: "emote", text: "👋 é")),
    "server.countdown.empty": .countdown(Countdown()),
    "server.countdown.full": .countdown(
      Countdown(
        turnMilliseconds: 30_000, tableMilliseconds: 600_000, isTurnUp: true, isTableUp: true,
        seat: SeatNumber(rawValue: 2))),
    "server.token-time.empty": .tokenTime(seconds: 0),
    "server.token-time.full": .tokenTime(seconds: 86_430),
    "server.watching.empty": .watching(Watching()),
    "server.watching.full": .watching(
      Watching(count: 1_000, asking: [SessionID(rawValue: 5), SessionID(rawValue: 1 << 53 - 1)])),
    "server.chat.refused": .chat(Chat(session: SessionID(rawValue: 5), text: "", refusal: .rateLimited)),
    "server.pong.empty": .pong(Pong(nonce: 0, revision: .zero, viewHash: 0, epoch: epoch(0))),
    "server.pong.full": .pong(
      Pong(nonce: 7, revision: revision(70_000), viewHash: 0xFEDC_BA98_7654_3210, epoch: epoch(3))),
    "server.seats.empty": .seats([]),
    "server.seats.full": .seats([ada, Seat(number: seat(2), name: "", person: SessionID(rawValue: 6), isAbsent: true)]
    ),
    "server.goodbye.empty": .goodbye(Goodbye(GoodbyeReason(rawValue: ""), isResumable: false)),
    "server.goodbye.full": .goodbye(
      Goodbye(.slow, detail: "too much unread", retryAfterMilliseconds: .max, redirect: "other.example:7400")),
  ]

  /// The most frequent diff: one item moved.
  static let oneMove = Diff(
    revision: revision(346), author: SessionID(rawValue: 5), sequence: sequence(12),
    changes: [.moved([item(17)], .before(item(29), in: handle(3)))], operation: .move)

  static let king = Face(
    attributes: [Attribute("rank", 13), Attribute("suit", "hearts")],
    representations: [Representation(contentType: "text/plain", data: Array("K♥".utf8))])

  /// A visible item and a hidden one.
  static let faces = [
    Item(id: item(1), collection: handle(1), face: king, isPinned: true),
    Item(id: item(1 << 51), collection: handle(2), visibility: .nobody),
  ]

  static let ada = Seat(number: seat(1), name: "Ada", person: SessionID(rawValue: 5), isConnected: true)

  static func item(_ rawValue: UInt64) -> ItemID { ItemID(rawValue: rawValue) }
  static func handle(_ rawValue: UInt32) -> CollectionHandle { CollectionHandle(rawValue: rawValue) }
  static func seat(_ rawValue: UInt32) -> SeatNumber { SeatNumber(rawValue: rawValue) }
  static func epoch(_ rawValue: UInt64) -> Epoch { Epoch(rawValue: rawValue) }
  static func revision(_ rawValue: UInt64) -> Revision { Revision(rawValue: rawValue) }
  static func sequence(_ rawValue: UInt64) -> SequenceNumber { SequenceNumber(rawValue: rawValue) }

  private static func gap(
    _ collection: CollectionHandle = handle(3), before: ItemID, after: Predecessor = .unspecified,
    beforeBy: SequenceNumber? = nil, afterBy: SequenceNumber? = nil, container: ItemID = .none
  ) -> Destination {
    var gap = Destination(collection: collection, position: Position(anchor: before), after: after)
    if container != .none { gap.container = container }
    (gap.beforeBy, gap.afterBy) = (beforeBy, afterBy)
    return gap
  }

  private static func placement(
    _ collection: CollectionHandle = handle(3), before: ItemID, gone: Vacancy
  ) -> Placement {
    var placement = Placement(collection: collection, position: Position(anchor: before))
    placement.gone = gone
    return placement
  }

  private static func operation(
    _ number: UInt64, _ kind: TableOperation.Kind, base: UInt64, epoch: UInt64, unanswered: UInt32 = 0,
    madeAs: UInt32? = nil, isBaseLost: Bool = false
  ) -> ClientMessage {
    .operation(
      TableOperation(
        sequence: sequence(number), base: revision(base), epoch: Epoch(rawValue: epoch), unanswered: unanswered,
        madeAs: madeAs.map(SeatNumber.init(rawValue:)), isBaseLost: isBaseLost, kind: kind))
  }
}
