import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// P10–P12 in the client: what it keeps of others, and when it sends its own.
@Suite struct ClientPresenceTests {
  private static func session(_ number: UInt64) -> SessionID { SessionID(rawValue: number) }

  private static func seat(_ number: UInt32, isConnected: Bool = true) -> Seat {
    Seat(
      number: SeatNumber(rawValue: number), name: "", person: session(UInt64(number)), isConnected: isConnected)
  }

  @Test func `values end when the seats do not list their session as connected`() {
    var board = PresenceBoard()
    for number in 1...3 { board.receive(Presence(session: Self.session(UInt64(number)), value: [UInt8(number)])) }
    #expect(board.receive([Self.seat(1), Self.seat(2, isConnected: false)]) == [Self.session(2), Self.session(3)])
    #expect(board.others == [Self.session(1): [1]])
    board.receive(Presence(session: Self.session(1), value: []))
    #expect(board.others.isEmpty && board.removeAll().isEmpty)
  }

  @Test func `the last value is sent, at the rate at which the daemon passes values on`() {
    var board = PresenceBoard()
    var sent: [[UInt8]] = []
    for millisecond in 1_000..<2_000 {
      let now = Instant(nanoseconds: UInt64(millisecond) * 1_000_000)
      if millisecond < 1_500 { board.set([UInt8(millisecond % 251)]) }
      if let presence = board.due(at: now) { sent.append(presence.value) }
    }
    #expect((9...11).contains(sent.count) && sent.last == [UInt8(1_499 % 251)] && board.nextDeadline == nil)
    #expect(1_000 / ClientLimits.presenceMilliseconds < SyncLimits().sessions.presencesPerSecondMax)
    board.restart()
    #expect(board.due(at: Instant(nanoseconds: 9_000_000_000))?.value == sent.last)
    board.set([])
    #expect(board.due(at: Instant(nanoseconds: 19_000_000_000))?.value == [])
    board.restart()
    #expect(board.due(at: Instant(nanoseconds: 29_000_000_000)) == nil, "the daemon has none either")
  }

  @Test func `P14: the number of those who watch is kept, and ends with the connection`() {
    var effects: [ClientEffect] = []
    var machine = ClientMachine(
      configuration: ClientConfiguration(table: "t"), types: SimulatedTypes(), random: RandomSource(seed: 1))
    var counts: [UInt32] {
      effects.compactMap { if case .event(.watching(let watching)) = $0 { watching.count } else { nil } }
    }
    for count: UInt32 in [3, 3, 2] { machine.receive(Watching(count: count), into: &effects) }
    #expect(counts == [3, 2] && machine.watching == Watching(count: 2))
    machine.restartPresence(isConnected: false, into: &effects)
    machine.restartPresence(isConnected: false, into: &effects)
    #expect(counts == [3, 2, 0] && machine.watching == Watching())
  }
}
