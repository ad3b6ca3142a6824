import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// P10–P13: values of one's own and messages are relayed and bounded, end with their connection, and are not part of the
/// state.
@Suite struct ValueTests {
  private let daemon: Daemon
  private let ada: Peer
  private let bo: Peer

  init() {
    daemon = Daemon {
      $0.sessions.presencesPerSecondMax = 3
      $0.connections.outboxSoftBytes = 1_000
    }
    ada = Peer(daemon)
    bo = Peer(daemon)
    ada.receive()
  }

  private func express(_ value: [UInt8], by peer: Peer) { peer.send(.presence(Presence(value: value))) }

  // MARK: Values

  @Test func `a value is sent to the others with its author's session, and changes nothing`() {
    let revision = daemon.state.revision
    ada.send(.presence(Presence(session: SessionID(rawValue: 77), value: [0, 255])))
    let received = bo.receive()
    #expect(received == [.presence(Presence(session: ada.session ?? .daemon, value: [0, 255]))])
    #expect(ada.receive().values.isEmpty && daemon.state.revision == revision && bo.isConverged)
  }

  @Test func `I8: a value that is too long, or a spectator's, is dropped, and no connection is closed`() {
    express(Array(repeating: 1, count: WireLimits.presenceBytesMax + 1), by: ada)
    express(Array(repeating: 1, count: 200_000), by: ada)
    let spectator = Peer(daemon, role: .spectator)
    express([1], by: spectator)
    #expect(bo.receive().values.isEmpty)
    express(Array(repeating: 2, count: WireLimits.presenceBytesMax), by: ada)
    #expect(
      bo.receive().values.map(\.count) == [WireLimits.presenceBytesMax] && spectator.receive().values.count == 1)
    ada.receive()
    #expect(ada.goodbye == nil && ada.isConverged)
  }

  @Test func `I8: beyond the rate the last value comes with the next sweep, and no other`() {
    for value in 1...100 { express([UInt8(value)], by: ada) }
    let first = bo.receive().values
    #expect(first.count < 6 && first.first == [1])
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(bo.receive().values == [[100]])
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(bo.receive().values.isEmpty)
  }

  @Test func `a slow reader gets the last value of each when it has read, and operations are not delayed`() {
    daemon.backlog(of: bo.connection, 1_001)
    express([1], by: ada)
    daemon.pass(seconds: 1)
    express([2], by: ada)
    ada.ask(ada.move(1))
    #expect(bo.receive().values.isEmpty && bo.isConverged)
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(bo.receive().values.isEmpty)
    daemon.backlog(of: bo.connection, 0)
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(bo.receive().values == [[2]])
  }

  @Test func `who joins receives the present values; a resumed session's are cleared for those who have them`() {
    express([5], by: ada)
    bo.receive()
    let late = Peer(daemon, role: .spectator)
    #expect(late.received.values == [[5]])
    // Taken over at once: the seats do not tell that the connection was another.
    ada.reconnect()
    #expect(bo.receive().values == [[]] && late.receive().values == [[]])
    let later = Peer(daemon)
    #expect(later.received.values.isEmpty)
    express([6], by: ada)
    #expect(later.receive().values == [[6]])
    daemon.lose(ada.connection)
    daemon.endTurn()
    let latest = Peer(daemon)
    #expect(latest.received.values.isEmpty)
    ada.reconnect()
    #expect(bo.receive().values == [[6], []] && latest.receive().values.count <= 1)
    ada.send(.goodbye(Goodbye(.leaving)))
    let last = Peer(daemon)
    #expect(last.received.values.isEmpty)
  }

  @Test func `a member that loads a snapshot gets the values afterwards, once`() {
    express([5], by: ada)
    bo.receive()
    bo.send(.snapshotRequest(why: "a test"))
    #expect(bo.receive().values.isEmpty)
    express([6], by: ada)
    #expect(bo.receive().values == [[6]])
  }

  // MARK: Messages

  @Test func `a message reaches everyone once, its author included, and is not kept`() {
    let text = "\u{1B}[31m👋 \u{202E}"
    ada.send(.chat(Chat(session: SessionID(rawValue: 77), kind: "emote", text: text, refusal: .forbidden)))
    let expected = [Chat(session: ada.session ?? .daemon, kind: "emote", text: text)]
    #expect(ada.receive().chats == expected && bo.receive().chats == expected)
    #expect(Peer(daemon).received.chats.isEmpty)
  }

  @Test func `I8, I12: what is refused is answered to the author alone, and costs it nothing else`() {
    let spectator = Peer(daemon, role: .spectator)
    let long = String(repeating: "x", count: WireLimits.chatTextBytesMax + 1)
    ada.send(.chat(Chat(text: long)))
    ada.send(.chat(Chat(kind: String(repeating: "x", count: WireLimits.chatKindBytesMax + 1), text: "")))
    spectator.send(.chat(Chat(text: "hello")))
    #expect(ada.receive().chats.map(\.refusal) == [.textTooLong, .textTooLong])
    #expect(spectator.receive().chats.map(\.refusal) == [.permissionDenied])
    for _ in 0..<50 { ada.send(.chat(Chat(text: String(long.dropLast())))) }
    let answers = ada.receive().chats
    #expect(answers.count == 50 && answers.prefix(5).allSatisfy { $0.refusal == nil })
    #expect(answers.last?.refusal == .rateLimited && answers.last?.text == "")
    #expect(bo.receive().chats.count == answers.count { $0.refusal == nil })
    daemon.pass(seconds: 1)
    ada.send(.chat(Chat(text: "again")))
    #expect(ada.receive().chats.map(\.refusal) == [nil] && ada.goodbye == nil && ada.isConverged)
  }

  @Test func `I8: a reader with a backlog gets no messages, and a backlog does not grow by refusals`() {
    daemon.backlog(of: bo.connection, 1_001)
    ada.send(.chat(Chat(text: "hello")))
    #expect(bo.receive().chats.isEmpty)
    daemon.backlog(of: ada.connection, SyncLimits().connections.outboxHardBytes + 1)
    for _ in 0..<50 { ada.send(.chat(Chat(text: "hello"))) }
    #expect(ada.receive().chats.count <= 1)
  }

  @Test func `a table type can do without messages`() throws {
    var bench = try RoomBench()
    let type = TableType(
      name: "quiet", allowsChat: false, collections: [CollectionRules(id: "list", kind: 0)],
      kinds: [CollectionKind(name: "list")])
    bench.table = Table(type: type, random: RandomSource(seed: 1))
    let member = bench.join()
    bench.room.chat(
      Chat(text: "hello"), from: member, in: bench.table.state, &bench.sessions, at: Instant(nanoseconds: 1),
      into: bench.batch)
    #expect(try bench.endTurn()[member].chats.map(\.refusal) == [.operationNotSupported])
  }
}
