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
    var limits = SyncLimits()
    limits.sessions.presencesPerSecondMax = 3
    limits.connections.outboxSoftBytes = 1_000
    daemon = Daemon(limits: limits)
    ada = Peer(daemon)
    bo = Peer(daemon)
    ada.receive()
  }

  private func express(_ value: [UInt8], by peer: Peer) { peer.send(.presence(Presence(value: value))) }

  private func values(_ messages: [ServerMessage]) -> [[UInt8]] {
    messages.compactMap { if case .presence(let presence) = $0 { presence.value } else { nil } }
  }

  private func chats(_ messages: [ServerMessage]) -> [Chat] {
    messages.compactMap { if case .chat(let chat) = $0 { chat } else { nil } }
  }

  // MARK: Values

  @Test func `a value is sent to the others with its author's session, and changes nothing`() {
    let revision = daemon.state.revision
    ada.send(.presence(Presence(session: SessionID(rawValue: 77), value: [0, 255])))
    let received = bo.receive()
    #expect(received == [.presence(Presence(session: ada.session ?? .daemon, value: [0, 255]))])
    #expect(values(ada.receive()).isEmpty && daemon.state.revision == revision && bo.isConverged)
  }

  @Test func `I8: a value that is too long, or a spectator's, is dropped, and no connection is closed`() {
    express(Array(repeating: 1, count: WireLimits.presenceBytesMax + 1), by: ada)
    express(Array(repeating: 1, count: 200_000), by: ada)
    let spectator = Peer(daemon, role: .spectator)
    express([1], by: spectator)
    #expect(values(bo.receive()).isEmpty)
    express(Array(repeating: 2, count: WireLimits.presenceBytesMax), by: ada)
    #expect(
      values(bo.receive()).map(\.count) == [WireLimits.presenceBytesMax] && values(spectator.receive()).count == 1)
    ada.receive()
    #expect(ada.goodbye == nil && ada.isConverged)
  }

  @Test func `I8: beyond the rate the last value comes with the next sweep, and no other`() {
    for value in 1...100 { express([UInt8(value)], by: ada) }
    let first = values(bo.receive())
    #expect(first.count < 6 && first.first == [1])
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(values(bo.receive()) == [[100]])
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(values(bo.receive()).isEmpty)
  }

  @Test func `a slow reader gets the last value of each when it has read, and operations are not delayed`() {
    daemon.backlog(of: bo.connection, 1_001)
    express([1], by: ada)
    daemon.pass(seconds: 1)
    express([2], by: ada)
    ada.ask(ada.move(1))
    #expect(values(bo.receive()).isEmpty && bo.isConverged)
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(values(bo.receive()).isEmpty)
    daemon.backlog(of: bo.connection, 0)
    daemon.sweep(afterSeconds: 1)
    daemon.endTurn()
    #expect(values(bo.receive()) == [[2]])
  }

  @Test func `who joins receives the present values; a resumed session's are cleared for those who have them`() {
    express([5], by: ada)
    bo.receive()
    let late = Peer(daemon, role: .spectator)
    #expect(values(late.received) == [[5]])
    // Taken over at once: the seats do not tell that the connection was another.
    ada.reconnect()
    #expect(values(bo.receive()) == [[]] && values(late.receive()) == [[]])
    let later = Peer(daemon)
    #expect(values(later.received).isEmpty)
    express([6], by: ada)
    #expect(values(later.receive()) == [[6]])
    daemon.lose(ada.connection)
    daemon.endTurn()
    let latest = Peer(daemon)
    #expect(values(latest.received).isEmpty)
    ada.reconnect()
    #expect(values(bo.receive()) == [[6], []] && values(latest.receive()).count <= 1)
    ada.send(.goodbye(Goodbye(.leaving)))
    let last = Peer(daemon)
    #expect(values(last.received).isEmpty)
  }

  @Test func `a member that loads a snapshot gets the values afterwards, once`() {
    express([5], by: ada)
    bo.receive()
    bo.send(.snapshotRequest(why: "a test"))
    #expect(values(bo.receive()).isEmpty)
    express([6], by: ada)
    #expect(values(bo.receive()) == [[6]])
  }

  // MARK: Messages

  @Test func `a message reaches everyone once, its author included, and is not kept`() {
    let text = "\u{1B}[31m👋 \u{202E}"
    ada.send(.chat(Chat(session: SessionID(rawValue: 77), kind: "emote", text: text, refusal: .forbidden)))
    let expected = [Chat(session: ada.session ?? .daemon, kind: "emote", text: text)]
    #expect(chats(ada.receive()) == expected && chats(bo.receive()) == expected)
    #expect(chats(Peer(daemon).received).isEmpty)
  }

  @Test func `I8, I12: what is refused is answered to the author alone, and costs it nothing else`() {
    let spectator = Peer(daemon, role: .spectator)
    let long = String(repeating: "x", count: WireLimits.chatTextBytesMax + 1)
    ada.send(.chat(Chat(text: long)))
    ada.send(.chat(Chat(kind: String(repeating: "x", count: WireLimits.chatKindBytesMax + 1), text: "")))
    spectator.send(.chat(Chat(text: "hello")))
    #expect(chats(ada.receive()).map(\.refusal) == [.textTooLong, .textTooLong])
    #expect(chats(spectator.receive()).map(\.refusal) == [.permissionDenied])
    for _ in 0..<50 { ada.send(.chat(Chat(text: String(long.dropLast())))) }
    let answers = chats(ada.receive())
    #expect(answers.count == 50 && answers.prefix(5).allSatisfy { $0.refusal == nil })
    #expect(answers.last?.refusal == .rateLimited && answers.last?.text == "")
    #expect(chats(bo.receive()).count == answers.count { $0.refusal == nil })
    daemon.pass(seconds: 1)
    ada.send(.chat(Chat(text: "again")))
    #expect(chats(ada.receive()).map(\.refusal) == [nil] && ada.goodbye == nil && ada.isConverged)
  }

  @Test func `I8: a reader with a backlog gets no messages, and a backlog does not grow by refusals`() {
    daemon.backlog(of: bo.connection, 1_001)
    ada.send(.chat(Chat(text: "hello")))
    #expect(chats(bo.receive()).isEmpty)
    daemon.backlog(of: ada.connection, SyncLimits().connections.outboxHardBytes + 1)
    for _ in 0..<50 { ada.send(.chat(Chat(text: "hello"))) }
    #expect(chats(ada.receive()).count <= 1)
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
    #expect(chats(try #require(try bench.endTurn()[member])).map(\.refusal) == [.operationNotSupported])
  }
}
