import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// C15: what waits while its author is away longer than the daemon remembers.
@Suite struct LostBaseTests {
  private let daemon = Daemon {
    $0.sessions.operationsPerSecondMax = 100_000
    $0.sessions.operationsBurstMax = 100_000
    $0.connections.heartbeatSeconds = 1_000_000
  }

  /// Has another player move an item to and fro until the daemon no longer knows what `host` has seen.
  private func age(by other: Peer, _ item: ItemID, in collection: CollectionHandle) {
    for _ in 0...TableLimits.historyRevisionsMax {
      other.ask(.move([item], to: .end(of: collection)))
      other.ask(.move([item], to: .before(other.replica?.state.firstItem(in: collection) ?? .none, in: collection)))
    }
  }

  private func move(_ item: ItemID, to collection: UInt32) -> TableOperation.Kind {
    .move([item], to: .end(of: CollectionHandle(rawValue: collection)))
  }

  private func refusal(of host: Host) -> Reason? {
    if case .refused(let refusal)? = host.answers.last { refusal.reason } else { nil }
  }

  /// Returns the answer to a move of the first pile's first item, made while away.
  ///
  /// - Parameter meanwhile: What the other player does then.
  private func answer(type: String, meanwhile: (Peer, ItemID) -> Void) throws -> (Host, ItemID) {
    let host = Host(daemon, type: type)
    let other = Peer(daemon, type: type)
    host.receive()
    let item = try #require(host.state?.firstItem(in: .first))
    host.lose()
    host.submit(move(item, to: 2))
    meanwhile(other, item)
    let third = CollectionHandle(rawValue: type == "strict" ? 3 : 1)
    age(by: other, try #require(other.replica?.state.lastItem(in: third)), in: third)
    host.reconnect()
    #expect(host.answers.count == 1 && host.isConverged)
    return (host, item)
  }

  @Test func `where the first one counts, an item that nobody has touched is moved, however long ago that was meant`()
    throws
  {
    let (host, item) = try answer(type: "strict") { _, _ in }
    #expect(host.answers.last?.diff != nil && daemon.state.collection(of: item)?.rawValue == 2)
    #expect(host.sent.compactMap(\.operation).last?.isBaseLost == false)
  }

  @Test(arguments: [2, 3] as [UInt32])
  func `where the first one counts, an item that others have moved stays where they put it`(_ pile: UInt32) throws {
    let (host, item) = try answer(type: "strict") { other, item in other.ask(move(item, to: pile)) }
    #expect(
      refusal(of: host) == .baseForgotten && daemon.state.lastPlacer(of: item) != host.machine.replica?.author.session)
    #expect(host.sent.compactMap(\.operation).last?.isBaseLost == true)
    host.ask(move(item, to: 1))
    #expect(host.answers.last?.diff != nil, "what it sees now it may move")
  }

  @Test func `where the first one counts, an item that others have changed is not touched`() throws {
    let (host, _) = try answer(type: "strict") { other, item in
      other.ask(.update(item, attributes: [Attribute("number", 99)], representations: []))
    }
    #expect(refusal(of: host) == .baseForgotten)
  }

  @Test func `where the last one counts, an item that others have moved is moved again`() throws {
    let host = Host(daemon)
    let other = Peer(daemon)
    host.receive()
    host.lose()
    host.submit(host.move(1))
    other.ask(other.move(1, before: 4))
    age(by: other, host.item(5), in: .first)
    host.reconnect()
    #expect(host.answers.last?.diff != nil && host.isConverged && host.order().last == 1)
    #expect(host.sent.compactMap(\.operation).last?.isBaseLost == true)
  }

  @Test func `what an earlier process meant is not known to be as it was seen, but an insertion takes nothing`() throws
  {
    let host = Host(daemon, type: "strict", record: ClientRecord())
    let other = Peer(daemon, type: "strict")
    host.receive()
    let item = try #require(host.state?.firstItem(in: .first))
    host.lose()
    host.submit(move(item, to: 2))
    host.submit(.insert([NewItem()], .end(of: .first)))
    let record = try #require(host.machine.record)
    let third = CollectionHandle(rawValue: 3)
    age(by: other, try #require(other.replica?.state.lastItem(in: third)), in: third)
    host.restart(with: record)
    for _ in 1...10 { host.receive() }
    guard host.answers.count == 2 else { return #expect(Bool(false), "\(host.answers)") }
    guard case .refused(let refusal) = host.answers[0] else { return #expect(Bool(false), "\(host.answers)") }
    #expect(refusal.reason == .baseForgotten && host.answers[1].diff != nil && host.isConverged)
  }

  @Test func `who sees that others were first does not overwrite that when it must express its drop anew`() throws {
    let late = Peer(daemon, type: "strict")
    let other = Peer(daemon, type: "strict")
    let state = try #require(other.replica?.state)
    let item = try #require(state.firstItem(in: .first))
    late.submit(move(item, to: 2))
    other.ask(move(item, to: 3))
    age(by: other, try #require(state.lastItem(in: .first)), in: .first)
    late.exchange()
    #expect(late.replica?.retryReason?.reason == .staleBase)
    late.reexpress()
    late.exchange()
    guard case .refused(let refusal)? = late.answer(1) else { return #expect(Bool(false), "\(late.answers)") }
    #expect(refusal.reason == .baseForgotten && daemon.state.collection(of: item)?.rawValue == 3 && late.isConverged)
  }

  @Test func `I3: as long as the daemon remembers, it judges by what it knows`() throws {
    let host = Host(daemon, type: "strict")
    let other = Peer(daemon, type: "strict")
    host.receive()
    let item = try #require(host.state?.firstItem(in: .first))
    host.lose()
    host.submit(move(item, to: 2))
    other.ask(move(item, to: 3))
    host.reconnect()
    #expect(refusal(of: host) == .contended && host.sent.compactMap(\.operation).allSatisfy { !$0.isBaseLost })
  }
}

/// The rule of the daemon, on tables of each kind.
@Suite struct LostBaseRuleTests {
  @Test func `what may take from others is refused, and what takes nothing is judged`() throws {
    let cases: [(type: String, move: Reason?, insert: Reason?)] = [
      ("strict", .baseForgotten, nil), ("sorter", nil, nil), ("rounds", .baseForgotten, .baseForgotten),
    ]
    for (type, move, insert) in cases {
      for (isMove, expected) in [(true, move), (false, insert)] {
        let peer = Peer(Daemon(), type: type)
        let state = try #require(peer.replica?.state)
        let here = try #require(state.handles.first { state.count(in: $0) > 1 && state.firstItem(in: $0) != nil })
        let kind: TableOperation.Kind =
          isMove
          ? .move([try #require(state.firstItem(in: here))], to: .end(of: here)) : .insert([NewItem()], .end(of: here))
        let operation = TableOperation(
          sequence: SequenceNumber(rawValue: 1), base: state.revision, epoch: peer.replica?.epoch ?? Epoch(rawValue: 0),
          isBaseLost: true, kind: kind)
        peer.exchange(.operation(operation))
        let reason = peer.outcomes.last?.refusal.reason
        #expect(
          (reason == .baseForgotten) == (expected == .baseForgotten), "\(type), \(kind): \(reason?.rawValue ?? "")")
      }
    }
  }
}
