import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// L4, C11: what is too long or too many in an operation costs its author this operation, and bytes that cannot be read cost a
/// connection; neither costs the session (I12).
@Suite struct ContainmentTests {
  private let daemon = Daemon()

  private static let list = CollectionHandle(rawValue: 1)

  private static func text(_ bytes: Int) -> String { String(repeating: "x", count: bytes) }

  /// An operation with each defect.
  static let defective: [TableOperation.Kind] = [
    .update(
      ItemID(rawValue: 1), attributes: [Attribute("a", text(WireLimits.attributeTextBytesMax + 1))],
      representations: []),
    .insert(
      [NewItem(attributes: [Attribute(text(WireLimits.attributeNameBytesMax + 1), 1)])], .end(of: list)),
    .insert(
      [NewItem(attributes: (0...WireLimits.itemAttributesMax).map { Attribute("a\($0)", 1) })], .end(of: list)),
    .insert(
      [NewItem(representations: [Representation(contentType: text(WireLimits.contentTypeBytesMax + 1), data: [])])],
      .end(of: list)),
    .update(
      ItemID(rawValue: 1), attributes: [],
      representations: (0...WireLimits.itemRepresentationsMax).map { Representation(contentType: "\($0)", data: []) }),
    .perform(action: text(WireLimits.actionBytesMax + 1), items: [], nil),
  ]

  // MARK: The daemon

  @Test(arguments: defective)
  func `I3, I12: an operation beyond a limit is refused in its turn, and repeated`(_ kind: TableOperation.Kind) throws {
    let peer = Peer(daemon)
    let other = Peer(daemon)
    let move = peer.move(3, before: 1)
    for (number, kind) in [move, kind, peer.move(5, before: 3)].enumerated() {
      daemon.receive(peer.forged(UInt64(number + 1), unanswered: UInt32(number), kind), on: peer.connection)
    }
    daemon.endTurn()
    peer.receive()
    let refusal = try #require(kind.defect?.refusal)
    #expect(peer.goodbye == nil && peer.outcomes.map(\.sequence.rawValue) == [2])
    #expect(peer.outcomes.map(\.refusal) == [refusal] && peer.outcomes.map(\.verdict) == [.refused])
    #expect(peer.diffs.map(\.sequence.rawValue).suffix(2) == [1, 3] && peer.order() == [5, 3, 1, 2, 4])
    // Again on the same connection, on another, and after a restart.
    peer.exchange(peer.forged(2, kind))
    peer.reconnect()
    peer.exchange(peer.forged(2, kind))
    daemon.restart()
    peer.reconnect()
    peer.exchange(peer.forged(2, epoch: 2, kind))
    #expect(peer.outcomes.count == 4 && Set(peer.outcomes.map(\.refusal)) == [refusal])
    #expect(peer.isConverged && other.goodbye == nil)
  }

  @Test func `I3: a gap beside an item of an insertion beyond a limit is to be named again`() {
    let peer = Peer(daemon)
    let items = [NewItem(), NewItem(attributes: [Attribute(Self.text(WireLimits.attributeNameBytesMax + 1), 1)])]
    let insertion = TableOperation.Kind.insert(
      items, Destination(collection: Self.list, position: .before(peer.item(2)), after: .item(peer.item(1))))
    let made = ItemID.provisional(operation: SequenceNumber(rawValue: 1), number: 0)
    // As its author sees it: between 1 and 2 stands what the first operation brings. The gap behind that is the gap behind 1.
    let destination = Destination(collection: Self.list, position: .before(peer.item(2)), after: .item(made))
    let kinds: [TableOperation.Kind] = [
      insertion, .move([peer.item(5)], to: destination), .remove([made]),
      .move([peer.item(4)], to: Destination(collection: Self.list, position: .before(made))),
      .undo(SequenceNumber(rawValue: 1)),
    ]
    for (number, kind) in kinds.enumerated() {
      daemon.receive(peer.forged(UInt64(number + 1), unanswered: UInt32(number), kind), on: peer.connection)
    }
    daemon.endTurn()
    peer.receive()
    #expect(peer.outcomes.map(\.refusal.reason) == [.textTooLong, .notPlaced, .notPlaced, .notPlaced, .notPlaced])
    #expect(peer.outcomes.map(\.verdict) == [.refused, .retry, .retry, .retry, .retry])
    #expect(peer.goodbye == nil && peer.order() == [1, 2, 3, 4, 5] && peer.isConverged)
  }

  @Test func `I11: operations beyond the limits take the turns that their bytes take`() {
    let daemon = Daemon(durability: .memory) { $0.sessions.operationsPerSecondMax = 0 }
    let peer = Peer(daemon)
    let bytes = 64 * 1_024
    let long = TableOperation.Kind.update(
      peer.item(1), attributes: [Attribute("a", Self.text(bytes))], representations: [])
    var stream: [UInt8] = []
    for number in 1...16 as ClosedRange<UInt64> {
      stream += peer.forged(number, unanswered: UInt32(number - 1), long).framed()
    }
    var turns = 0
    while !stream.isEmpty, turns < 100 {
      let received = daemon.receive(stream: stream, on: peer.connection)
      stream.removeFirst(received.bytes)
      daemon.endTurn()
      turns += 1
    }
    peer.receive()
    #expect(peer.outcomes.count == 16 && peer.goodbye == nil && peer.outcomes.allSatisfy { $0.verdict == .refused })
    #expect(turns >= 16 * bytes / TurnBudget.bytesPerUnit / ServerLimits.turnWorkMax, "\(turns) turns")
  }

  @Test(arguments: [[UInt8](repeating: 255, count: 3), [1, 0xFF]])
  func `I12: bytes that cannot be read cost the connection, and the session resumes`(_ bytes: [UInt8]) {
    let host = Host(daemon)
    host.submit(host.move(1))
    if let connection = host.connection { daemon.receive(bytes: bytes, on: connection) }
    host.ask(host.move(2))
    let goodbye = host.received.goodbye
    #expect(goodbye?.reason == .malformed && goodbye?.isResumable == true && host.answers.count == 1)
    host.reconnect()
    #expect(host.isConverged && host.answers.count == 2 && host.order() == [3, 4, 5, 1, 2])
  }

  // MARK: The client

  @Test(arguments: defective)
  func `I12: a client refuses what the daemon would refuse, with the same words, and sends nothing`(
    _ kind: TableOperation.Kind
  ) throws {
    let host = Host(Daemon())
    for sendsRefused in [false, true] {
      let submission = host.submit(kind, sendsRefused: sendsRefused)
      #expect(submission?.prediction == .refused(try #require(kind.defect?.refusal)))
      #expect(submission?.operation == nil && submission?.changes.isEmpty == true)
    }
    #expect(host.sentSequences.isEmpty && host.machine.replica?.pending.isEmpty == true)
    host.ask(host.move(1))
    #expect(host.answers.count == 1 && host.isConverged)
  }

  @Test func `I12: a client sends no frame that is longer than the daemon accepts`() throws {
    let most = 5_000
    let daemon = Daemon { $0.connections.frameBytesMax = most }
    let host = Host(daemon)
    func insertion(_ bytes: Int) -> TableOperation.Kind {
      let item = NewItem(representations: [Representation(contentType: "t", data: [UInt8](repeating: 1, count: bytes))])
      return .insert([item], .end(of: Self.list))
    }
    var (accepted, refused) = (0, 0)
    for bytes in most - 300..<most + 10 {
      guard host.submit(insertion(bytes))?.operation != nil else {
        refused += 1
        continue
      }
      #expect(refused == 0, "\(bytes) bytes fit, and fewer do not")
      accepted += 1
      if accepted.isMultiple(of: 100) { host.receive() }
    }
    host.receive()
    let lengths = host.sent.map { $0.encoded().count }
    #expect(accepted > 100 && refused > 10 && (lengths.max() ?? 0) <= most && host.isConverged)
    let submission = host.submit(insertion(most))
    #expect(submission?.prediction.refusal?.reason == .tooManyItems)
    #expect(submission?.prediction.refusal?.detail.contains("\(most)") == true)
  }

  @Test func `I12: pending operations that a new limit of frames excludes are refused, and the session goes on`() throws
  {
    let host = Host(daemon)
    let long = NewItem(attributes: [Attribute("a", Self.text(10_000))])
    host.lose()
    host.submit(host.move(1))
    host.submit(.insert([long], .end(of: Self.list)))
    host.submit(host.move(2))
    host.tick(afterMilliseconds: 10_000)
    daemon.endTurn()
    for message in host.connection.map(daemon.take) ?? [] {
      guard case .welcome(var welcome) = message else {
        host.handle { $0.receive(message, at: daemon.now, into: &$1) }
        continue
      }
      welcome.frameBytesMax = 1_000
      host.handle { $0.receive(.welcome(welcome), at: daemon.now, into: &$1) }
    }
    host.receive()
    #expect(host.sent.allSatisfy { $0.encoded().count <= 1_000 } && host.sentSequences == [1, 2, 3])
    #expect(host.answers.map(\.reason) == [nil, .operationNotSupported, nil])
    #expect(host.isConverged && host.order() == [3, 4, 5, 1, 2])
  }

  @Test func `I12: a drag of too many items is cut`() {
    let host = Host(Daemon())
    let items = ItemList((1...100_000).map { ItemID(rawValue: $0) })
    host.handle { $0.drag(Drag(phase: .began, items: items), at: Instant(nanoseconds: 0), into: &$1) }
    guard case .drag(let drag)? = host.sent.last else {
      Issue.record("not sent")
      return
    }
    #expect(drag.items.count == WireLimits.dragItemsMax)
  }

  @Test(arguments: Hello.Field.allCases.filter { ![.credential, .sessionName, .ticket, .signedToken].contains($0) })
  func `I12: a configuration that no daemon accepts ends the client before it connects`(_ field: Hello.Field) {
    var configuration = ClientConfiguration(table: "t")
    let text = Self.text(field.bytesMax + 1)
    switch field {
    case .table: configuration.table = text
    case .tableType: configuration.tableType = text
    case .name: configuration.name = text
    case .invite: configuration.invite = text
    case .credential, .sessionName, .ticket, .signedToken: break
    }
    var machine = ClientMachine(configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
    var effects: [ClientEffect] = []
    machine.start(at: Instant(nanoseconds: 0), into: &effects)
    guard case .event(.ended(let goodbye))? = effects.first, effects.count == 1 else {
      Issue.record("\(effects)")
      return
    }
    #expect(goodbye.reason == field.reason && goodbye.detail.contains("\(field.bytesMax)") && !goodbye.isResumable)
  }

  @Test(arguments: [GoodbyeReason.malformed, .frameTooLarge])
  func `I12, C11: a client that ends connection after connection gives up, with the reason`(_ reason: GoodbyeReason) {
    let host = Host(daemon)
    host.submit(host.move(1), sendsRefused: true)
    var count: UInt64 = 0
    while !host.machine.phase.isEnded, count < 100 {
      host.handle { $0.receive(.goodbye(Goodbye(reason, detail: "no")), at: daemon.now, into: &$1) }
      count += 1
      if !host.machine.phase.isEnded { host.reconnect() }
    }
    #expect(count == ClientLimits.unreadableConnectionsMax)
    guard case .ended(let goodbye) = host.machine.phase else { return }
    #expect(goodbye.reason == reason && !goodbye.isResumable && goodbye.detail.contains("no"))
  }

  @Test func `I12, C11: a client that is not understood now and then goes on`() {
    let host = Host(daemon)
    for _ in 1...3 * ClientLimits.unreadableConnectionsMax {
      host.handle { $0.receive(.goodbye(Goodbye(.malformed)), at: daemon.now, into: &$1) }
      daemon.pass(seconds: ClientLimits.unreadableSeconds)
      host.reconnect()
      #expect(host.machine.isLive)
    }
  }

  @Test func `C11: the delay grows, although each connection was live`() {
    var delays: [UInt64] = []
    for seed in 1...20 as ClosedRange<UInt64> {
      var configuration = ClientConfiguration(table: "t", tableType: "list")
      configuration.backoffMilliseconds = 100
      var machine = ClientMachine(
        configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: seed))
      machine.phase = .live
      var effects: [ClientEffect] = []
      for number in 1..<ClientLimits.unreadableConnectionsMax {
        machine.receive(.goodbye(Goodbye(.malformed)), at: daemon.now, into: &effects)
        guard case .waiting(let until) = machine.phase else { return }
        if number == ClientLimits.unreadableConnectionsMax - 1 { delays.append(until.milliseconds(since: daemon.now)) }
        machine.phase = .live
        machine.attempts = 0
      }
    }
    #expect(delays.reduce(0, +) / 20 > 1_000, "\(delays)")
  }
}

extension ClientMachine.Phase {
  fileprivate var isEnded: Bool { if case .ended = self { true } else { false } }
}
