import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The sessions of a table, without a table.
@Suite struct SessionsTests {
  private func session(_ id: SessionID, seat: UInt32 = 0) -> Session {
    var random = RandomSource(seed: id.rawValue)
    let token = ResumeToken(session: id, random: &random)
    return Session(id: id, name: "", seat: SeatNumber(rawValue: seat), credentials: Credentials(token))
  }

  @Test func `slots are reused, ids are not`() {
    var sessions = Sessions()
    let slots = (0..<3).map { _ in sessions.insert(session(sessions.nextID)) }
    let ids = slots.map { sessions[$0].id }
    #expect(sessions.forget(slots[1]) && !sessions.forget(slots[1]))
    #expect(sessions.count == 2 && sessions.slot(of: ids[1]) == nil && sessions[slots[1]].isForgotten)
    let again = sessions.insert(session(sessions.nextID))
    #expect(again == slots[1] && sessions[again].id > ids[2] && sessions.indices.count == 3)
  }

  @Test func `each of many sessions is found by its id, whichever were forgotten`() {
    var sessions = Sessions()
    var random = RandomSource(seed: 7)
    var oracle: [SessionID: Int] = [:]
    for _ in 0..<1_000 {
      if random.next(below: 3) > 0 {
        let id = sessions.nextID
        oracle[id] = sessions.insert(session(id))
      } else if let id = oracle.keys.min(by: { $0.rawValue % 7 < $1.rawValue % 7 }), let slot = oracle[id] {
        let isForgotten = sessions.forget(slot)
        #expect(isForgotten)
        oracle[id] = nil
      }
      #expect(sessions.count == oracle.count)
    }
    for id in (0...sessions.lastID.rawValue + 1).map(SessionID.init(rawValue:)) {
      #expect(sessions.slot(of: id) == oracle[id])
    }
  }

  @Test func `a stored token is the same again`() throws {
    var random = RandomSource(seed: 1)
    let token = ResumeToken(session: SessionID(rawValue: 0x0102_0304_0506_0708), random: &random)
    #expect(token.bytes.count == 24 && token.bytes.prefix(8) == [8, 7, 6, 5, 4, 3, 2, 1])
    #expect(try #require(ResumeToken(restoring: token.bytes)).bytes == token.bytes)
    #expect(ResumeToken(restoring: Array(token.bytes.dropLast())) == nil)
  }

  @Test func `a token and its unconfirmed predecessor resume the same session`() throws {
    var sessions = Sessions()
    let slot = sessions.insert(session(sessions.nextID))
    _ = sessions.insert(session(sessions.nextID))
    let first = sessions[slot].credentials.token
    #expect(try sessions.find(first.bytes).slot == slot)
    var random = RandomSource(seed: 99)
    let second = ResumeToken(session: sessions[slot].id, random: &random)
    sessions[slot].credentials.rotate(presented: first, to: second)
    #expect(try sessions.find(first.bytes).slot == slot && sessions.find(second.bytes).slot == slot)
    let hadPrevious = sessions[slot].credentials.confirm()
    #expect(hadPrevious)
    #expect(throws: Rejection.self) { _ = try sessions.find(first.bytes) }
    var forged = second.bytes
    forged[23] ^= 1
    #expect(throws: Rejection.self) { _ = try sessions.find(forged) }
    #expect(throws: Rejection.self) { _ = try sessions.find([]) }
  }

  @Test func `the session without a seat that is absent longest is removed first`() {
    var sessions = Sessions()
    let slots = [0, 1, 0, 0].map { seat in sessions.insert(session(sessions.nextID, seat: seat)) }
    #expect(sessions.longestAbsent { $0 == .spectator } == nil)
    for (order, slot) in [slots[1], slots[3], slots[2]].enumerated() {
      sessions[slot].connectivity = .lost(since: Instant(nanoseconds: UInt64(order)))
    }
    #expect(sessions.longestAbsent { $0 == .spectator } == slots[3])
  }
}
