import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// Clients whose process ends and begins anew with what a session store has.
@Suite struct KeepingTests {
  @Test func `I3: what was not sent is sent once after a relaunch, in the same session and seat`() throws {
    let client = KeptClient(Daemon())
    client.lose()
    client.insert(11)
    client.insert(12, before: 11)
    client.insert(13, before: 12)
    #expect(client.truth.count == 3)
    try client.relaunch()
    #expect(client.truth.suffix(3) == [13, 12, 11] && client.isConverged)
    #expect([11, 12, 13].allSatisfy { client.status($0)?.isAccepted == true })
    #expect(client.sessions.count == 1 && client.seats == [SeatNumber(rawValue: 1)])
  }

  @Test func `I3: what the daemon has judged before a kill is not done again, and its outcome is known`() throws {
    let client = KeptClient(Daemon())
    client.insert(11)
    client.submit(.remove([ItemID(rawValue: 4_000)]), id: "gone")
    client.insert(12, before: 11)
    try client.relaunch()
    #expect(client.truth.suffix(2) == [12, 11] && client.isConverged)
    guard case .accepted(let revision, let items) = client.status(12) else { return #expect(Bool(false)) }
    #expect(revision == client.daemon.state.revision && items == [client.item(12)])
    #expect(client.status(11)?.isAccepted == true)
  }

  @Test func `an outcome is known in every later process, a refusal with its reason`() throws {
    let client = KeptClient(Daemon())
    client.submit(.remove([ItemID(rawValue: 4_000)]), sendsRefused: true, id: "gone")
    client.receive()
    for _ in 1...3 {
      guard case .refused(let refusal) = client.machine.status(of: "gone") else { return #expect(Bool(false)) }
      #expect(refusal.reason == .unknownItem)
      client.settle()
      try client.relaunch()
    }
    #expect(client.machine.status(of: "other") == nil)
  }

  @Test(arguments: [true, false])
  func `I3: in another epoch, operations are numbered anew and sent once`(wasReceived: Bool) throws {
    let client = KeptClient(Daemon())
    for number in 11...13 { client.insert(number) }
    client.receive()
    if !wasReceived { client.lose() }
    client.insert(14)
    client.insert(15, before: 14)
    if wasReceived { client.daemon.endTurn() }
    client.kill()
    client.daemon.restart()
    try client.relaunch()
    #expect(client.truth.suffix(2) == [15, 14] && client.truth.count == 8 && client.isConverged)
    #expect((11...15).allSatisfy { client.status($0)?.isAccepted == true })
  }

  @Test func `I12: the operations of a session that is gone are unknown, and never sent`() throws {
    let client = KeptClient(
      Daemon {
        $0.sessions.graceSeconds = 1
        $0.sessions.sessionSeconds = 2
        $0.connections.heartbeatSeconds = 1_000
      })
    let other = Peer(client.daemon, type: "")
    client.lose()
    client.insert(11)
    let count = client.sent.count
    for _ in 1...5 { client.daemon.sweep(afterSeconds: 5) }
    other.exchange()
    try client.relaunch()
    #expect(client.status(11) == .unknown && client.answers(to: "11") == [.unknown])
    #expect(!client.truth.contains(11) && client.machine.isLive && client.sessions.count == 2)
    #expect(client.sent.dropFirst(count).allSatisfy { $0.operation == nil })
    try client.relaunch()
    #expect(client.status(11) == .unknown && client.answers(to: "11") == [.unknown])
  }

  @Test func `operations whose base the daemon's history no longer covers are sent again on the present state`() throws
  {
    let client = KeptClient(
      Daemon {
        $0.sessions.operationsPerSecondMax = 100_000
        $0.sessions.operationsBurstMax = 100_000
      })
    let other = Peer(client.daemon, type: "")
    client.lose()
    client.insert(11)
    client.insert(12, before: 11)
    client.kill()
    for number in 0..<1_100 { other.ask(other.move(1 + number % 3)) }
    #expect(client.daemon.state.revision.rawValue > 1_100)
    try client.relaunch()
    #expect(client.truth.filter { $0 > 10 } == [12, 11] && client.isConverged)
    #expect(client.status(11)?.isAccepted == true && client.status(12)?.isAccepted == true)
  }

  @Test func `an id is used once, and a bad one is refused`() {
    let client = KeptClient(Daemon())
    func refusal(_ id: OperationID) -> Reason? {
      client.submit(.remove([client.item(1)]), id: id)?.prediction.refusal?.reason
    }
    client.insert(11)
    #expect(client.insert(11)?.operation == nil)
    client.receive()
    #expect(client.insert(11)?.operation == nil && client.truth.count(where: { $0 == 11 }) == 1)
    #expect(refusal("") == .badOperationID && refusal("11") == .operationIDUsed)
    #expect(refusal(OperationID(rawValue: String(repeating: "x", count: 65))) == .badOperationID)
    #expect(refusal(OperationID(rawValue: String(repeating: "x", count: 64))) == nil)
    #expect(client.submit(.remove([client.item(2)]))?.id?.rawValue.utf8.count == 32, "each operation has an id")
  }

  @Test func `I8: the store keeps a bounded number of outcomes`() {
    var keeping = Keeping(ClientRecord())
    for number in 1...2_000 as ClosedRange<UInt64> {
      let items = [ItemID](repeating: ItemID(rawValue: number), count: 500)
      keeping.note(
        ClientRecord.Outcome(
          id: KeptClient.id(Int(number)), sequence: SequenceNumber(rawValue: number),
          status: .accepted(Revision(rawValue: number), items: items)))
      #expect(keeping.outcomes.count <= ClientLimits.outcomesMax)
      #expect(keeping.outcomes.reduce(0) { $0 + $1.status.itemCount } <= ClientLimits.outcomeItemsMax)
    }
    #expect(keeping.outcomes.last?.status.itemCount == 500)
  }

  @Test func `a client that leaves keeps the outcomes and no session`() throws {
    let client = KeptClient(Daemon())
    client.insert(11)
    client.receive()
    client.handle { $0.leave(at: client.daemon.now, into: &$1) }
    let record = try ClientRecord(decoding: client.stored ?? [], key: KeptClient.key)
    #expect(record.session == nil && record.pending.isEmpty && record.outcomes.map(\.id) == ["11"])
  }

  @Test func `I3: nothing is sent that could not be stored, and a new token is not needed`() throws {
    let client = KeptClient(Daemon())
    client.isStoreBroken = true
    client.insert(11)
    #expect(client.truth.count == 3 && client.connection == nil)
    for _ in 1...3 { client.settle() }
    #expect(client.truth.count == 3 && client.status(11) == .pending)
    // A process that ends now has only the token of before.
    client.isStoreBroken = false
    let stored = client.stored
    client.settle()
    #expect(client.truth.last == 11 && client.isConverged && client.stored != stored && client.sessions.count == 1)
  }

  @Test func `I3: the token in the store resumes the session after failed writes and a kill`() throws {
    let client = KeptClient(Daemon())
    client.isStoreBroken = true
    client.insert(11)
    for _ in 1...3 { client.settle() }
    client.isStoreBroken = false
    try client.relaunch()
    #expect(client.sessions.count == 1 && client.seats.count == 1 && client.status(11) == nil)
    #expect(!client.truth.contains(11))
  }

  @Test func `reconnectNow connects at once, and not before the daemon permits it`() {
    let client = KeptClient(Daemon())
    client.lose()
    client.handle { $0.reconnectNow(at: client.daemon.now, into: &$1) }
    for _ in 1...4 { client.receive() }
    #expect(client.machine.isLive)
    client.handle { $0.reconnectNow(at: client.daemon.now, into: &$1) }
    #expect(client.machine.isLive, "it does nothing")
    let goodbye = Goodbye(.shutdown, retryAfterMilliseconds: 5_000)
    client.handle { $0.receive(.goodbye(goodbye), at: client.daemon.now, into: &$1) }
    client.handle { $0.reconnectNow(at: client.daemon.now, into: &$1) }
    #expect(
      client.connection == nil && client.machine.nextDeadline == client.daemon.now.advanced(byMilliseconds: 5_000))
  }
}
