import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// The sessions of a table, without a table.
@Suite struct SessionsTests {
  private func session(_ id: SessionID, seat: UInt32 = 0, of person: SessionID? = nil) -> Session {
    Session(
      id: id, name: "", seat: SeatNumber(rawValue: seat),
      identity: SessionIdentity(
        person: person ?? id, credential: CredentialHash(of: [UInt8((person ?? id).rawValue % 251), 1]), name: [],
        ticket: 1))
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

  @Test func `a stored hash is the same again, and the hash is SHA-256`() throws {
    let hash = try #require(CredentialHash(of: Array("abc".utf8)))
    // FIPS 180-4, and 448 bits of it, which need a second block.
    #expect(hash.bytes.hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    let long = try #require(CredentialHash(of: Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)))
    #expect(long.bytes.hexadecimal == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(CredentialHash(restoring: hash.bytes) == hash && CredentialHash(restoring: [1]) == nil)
    #expect(CredentialHash(of: []) == nil)
  }

  @Test func `a person's sessions are found by the credential, and by the person, whichever were forgotten`() throws {
    var sessions = Sessions()
    var random = RandomSource(seed: 11)
    var persons: [SessionID: Set<Int>] = [:]
    for _ in 0..<600 {
      if random.next(below: 3) > 0 {
        let id = sessions.nextID
        let known = persons.keys.sorted().filter { (persons[$0]?.count ?? 0) < 8 && $0.rawValue % 251 == $0.rawValue }
        let person = random.next(below: 2) == 0 ? known.last ?? id : id
        guard person != id || id.rawValue < 251 else { continue }
        persons[person, default: []].insert(sessions.insert(session(id, of: person)))
      } else if let person = persons.keys.min(by: { $0.rawValue % 7 < $1.rawValue % 7 }),
        let slot = persons[person]?.min()
      {
        _ = sessions.forget(slot)
        persons[person]?.remove(slot)
        if persons[person]?.isEmpty == true { persons[person] = nil }
      }
      for (person, slots) in persons {
        #expect(Set(sessions.slots(ofPerson: person)) == slots)
        let credential = try #require(CredentialHash(of: [UInt8(person.rawValue % 251), 1]))
        #expect(Set(sessions.slots(of: credential)) == slots)
      }
    }
    #expect(persons.values.contains { $0.count > 1 } && sessions.slots(ofPerson: .daemon) == [])
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

extension [UInt8] {
  fileprivate var hexadecimal: String { map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() }
}
