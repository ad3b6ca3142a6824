import BaizeSimulator
import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// J23: connections wait until the host has verified their tokens, and have the rights that these give.
@Suite struct SignedTokenTests {
  /// A shard that needs tokens, and a host that verifies them when it is asked to.
  private final class Gate {
    var shard: ShardMachine
    var now = Instant(nanoseconds: 1_000_000_000)
    /// The present time by the clock of tokens.
    static let begun: Int64 = 1_800_000_000
    private(set) var asked: [TokenVerification] = []
    private var received: [ConnectionID: [ServerMessage]] = [:]

    init(creation: CreationRight = .anyone, isOpen: Bool = false) {
      shard = ShardMachine(
        types: SimulatedTypes(), random: RandomSource(seed: 1), isOpen: isOpen, creation: creation, needsToken: true)
      shard.unixTime = Self.begun
    }

    func hello(_ slot: UInt32, _ hello: Hello, from peer: PeerID = .unknown) -> ConnectionID {
      let id = ConnectionID(slot: slot, generation: 1)
      shard.connected(id, from: peer, at: now)
      _ = ClientMessage.hello(hello).framed().withUnsafeBytes { shard.receive($0, FrameReader(), on: id, at: now) }
      endTurn()
      return id
    }

    /// Joins with these rights.
    func join(_ slot: UInt32, _ hello: Hello, _ verdict: TokenVerdict) -> ConnectionID {
      let id = self.hello(slot, hello)
      verified(id, verdict)
      return id
    }

    func send(_ message: ClientMessage, _ id: ConnectionID) {
      _ = message.framed().withUnsafeBytes { shard.receive($0, FrameReader(), on: id, at: now) }
      endTurn()
    }

    /// Lets time pass, with the sweeps of these seconds.
    func pass(seconds: UInt64) {
      for _ in 0..<seconds {
        now = now.advanced(bySeconds: 1)
        shard.unixTime += 1
        while !shard.tick(at: now) {}
        endTurn()
      }
    }

    func times(_ id: ConnectionID) -> [UInt32] {
      (received[id] ?? []).compactMap { if case .tokenTime(let seconds) = $0 { seconds } else { nil } }
    }

    func refusals(_ id: ConnectionID) -> [Reason] {
      (received[id] ?? []).compactMap { if case .outcome(let outcome) = $0 { outcome.refusal.reason } else { nil } }
    }

    var names: [String] { shard.state(ofTable: "t")?.seats.map(\.name) ?? [] }
    var seats: [UInt32] { shard.state(ofTable: "t")?.seats.map(\.number.rawValue) ?? [] }

    func verified(_ id: ConnectionID, _ verdict: TokenVerdict) {
      shard.verified(id, verdict)
      shard.admitWaiting(at: now)
      endTurn()
    }

    func endTurn() {
      asked += shard.endTurn(at: now).verifications
      while let batch = shard.nextReleased() {
        let deliveries = batch.deliveries
        batch.withUnsafeBytes { bytes in
          for delivery in deliveries {
            let frame = UnsafeRawBufferPointer(rebasing: bytes[Int(delivery.start)..<Int(delivery.end)])
            guard let content = try? FrameReader(frameBytesMax: .max).next(in: frame),
              let message = try? ServerMessage(decoding: UnsafeRawBufferPointer(rebasing: frame[content]))
            else { continue }
            received[delivery.connection, default: []].append(message)
          }
        }
        shard.recycle(batch)
      }
    }

    func welcome(_ id: ConnectionID) -> Welcome? {
      received[id]?.lazy.compactMap { if case .welcome(let welcome) = $0 { welcome } else { nil } }.first
    }

    func goodbye(_ id: ConnectionID) -> Goodbye? {
      received[id]?.lazy.compactMap { if case .goodbye(let goodbye) = $0 { goodbye } else { nil } }.first
    }
  }

  private func granted(
    _ tables: String = "*", to subject: String = "ann", role: Role = .player, seat: UInt32? = nil,
    name: String? = nil, tokenID: String? = nil, seconds: Int64 = 3_600
  ) throws -> TokenVerdict {
    .granted(
      TokenRights(
        issuer: "app", subject: subject, tables: [try #require(TablePattern(parsing: tables))], role: role,
        seat: seat.map(SeatNumber.init), name: name, tokenID: tokenID),
      until: Gate.begun + seconds)
  }

  private let hello = Hello(table: "t", tableType: "list?items=3", name: "Bob", signedToken: "abc")

  @Test func `nothing is looked up before the token is verified, and then the hello is as any other`() throws {
    let gate = Gate()
    let id = gate.hello(0, hello)
    #expect(gate.asked == [TokenVerification(connection: id, token: "abc")])
    #expect(gate.shard.tableCount == 0)
    #expect(gate.welcome(id) == nil && gate.goodbye(id) == nil)
    gate.verified(id, try granted(name: "Ann"))
    #expect(gate.welcome(id)?.seat == SeatNumber(rawValue: 1))
    #expect(gate.welcome(id)?.invite == "")
    #expect(gate.shard.takeResumed() == [id])
    #expect(gate.shard.state(ofTable: "t")?.seats.map(\.name) == ["Ann"])
  }

  @Test func `no token, one that is refused and one for another table have the same answer`() throws {
    let gate = Gate()
    var none = hello
    none.signedToken = ""
    let missing = gate.hello(0, none)
    gate.verified(missing, .refused)
    let refused = gate.hello(1, hello)
    gate.verified(refused, .refused)
    let other = gate.hello(2, hello)
    gate.verified(other, try granted("team7-*"))
    let answers = [missing, refused, other].map(gate.goodbye)
    #expect(answers.allSatisfy { $0 == answers[0] })
    #expect(answers[0]?.reason == .tokenRefused)
    let old = gate.hello(3, hello)
    gate.verified(old, .expired)
    #expect(gate.goodbye(old)?.reason == .tokenExpired)
    #expect(gate.shard.tableCount == 0)
  }

  @Test func `a connection that is gone is not admitted, and none is twice`() throws {
    let gate = Gate()
    let id = gate.hello(0, hello)
    gate.shard.closed(id, at: gate.now)
    gate.verified(id, try granted())
    #expect(gate.shard.tableCount == 0)
    let other = gate.hello(1, hello)
    gate.shard.verified(other, try granted())
    gate.shard.verified(ConnectionID(slot: 7, generation: 1), try granted())
    gate.verified(other, .refused)
    #expect(gate.welcome(other) != nil)
    #expect(gate.goodbye(other) == nil)
  }

  @Test func `those who wait are bounded`() throws {
    let gate = Gate()
    for slot in 0..<UInt32(ServerLimits.tokensWaitingMax) { _ = gate.hello(slot, hello) }
    let late = gate.hello(UInt32(ServerLimits.tokensWaitingMax), hello)
    #expect(gate.goodbye(late)?.reason == .slow)
    #expect(gate.goodbye(late)?.retryAfterMilliseconds ?? 0 > 0)
    gate.verified(ConnectionID(slot: 0, generation: 1), .refused)
    let next = gate.hello(UInt32(ServerLimits.tokensWaitingMax) + 1, hello)
    #expect(gate.goodbye(next) == nil)
    // One that is gone counts until its token has been looked at.
    let gone = ConnectionID(slot: 1, generation: 1)
    gate.shard.closed(gone, at: gate.now)
    #expect(gate.goodbye(gate.hello(UInt32(ServerLimits.tokensWaitingMax) + 2, hello))?.reason == .slow)
    gate.verified(gone, try granted())
    #expect(gate.goodbye(gate.hello(UInt32(ServerLimits.tokensWaitingMax) + 3, hello)) == nil)
    #expect(gate.shard.tableCount == 0)
  }

  @Test func `a viewer has no seat, and a person whose next token admits a viewer loses it`() throws {
    let gate = Gate()
    let viewer = gate.join(0, hello, try granted(to: "bea", role: .spectator))
    let player = gate.join(1, hello, try granted())
    #expect(gate.welcome(viewer)?.seat == .spectator && gate.welcome(player)?.seat.rawValue == 1)
    // The same session, whose last connection still lives: it is the one that is taken over.
    let again = gate.join(2, hello, try granted(role: .spectator))
    #expect(gate.welcome(again)?.seat == .spectator && gate.seats == [])
    #expect(gate.welcome(again)?.session == gate.welcome(player)?.session)
    let seen = gate.join(3, hello, try granted(to: "bea", role: .spectator))
    #expect(gate.welcome(seen)?.seat == .spectator && gate.welcome(seen)?.session == gate.welcome(viewer)?.session)
    // And it gets one again by a token that says so.
    let back = gate.join(4, hello, try granted())
    #expect(gate.welcome(back)?.seat.rawValue == 1 && gate.seats == [1])
  }

  @Test func `the host gives a viewer no seat`() throws {
    let gate = Gate()
    let host = gate.join(0, hello, try granted())
    let viewer = gate.join(1, hello, try granted(to: "bea", role: .spectator))
    let session = try #require(gate.welcome(viewer)?.session)
    let give = HostAction.give(SeatNumber(rawValue: 2), to: session).operation
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: 1), base: try #require(gate.shard.state(ofTable: "t")?.revision),
      epoch: try #require(gate.welcome(host)?.epoch), kind: give)
    gate.send(.operation(operation), host)
    #expect(gate.refusals(host) == [.permissionDenied])
    #expect(gate.seats == [1] && gate.goodbye(viewer) == nil)
  }

  @Test func `two devices of a person do not take turns with different tokens`() throws {
    let gate = Gate()
    var phone = hello
    phone.sessionName = [1]
    let player = gate.join(0, hello, try granted(seat: 1))
    // The other one's token names another seat: the person stays where it is until both say so.
    let other = gate.join(1, phone, try granted(seat: 2))
    #expect(gate.welcome(other)?.seat.rawValue == 1 && gate.goodbye(player) == nil && gate.seats == [1])
    let moved = gate.join(2, hello, try granted(seat: 2))
    #expect(gate.welcome(moved)?.seat.rawValue == 2 && gate.seats == [2])
    #expect(gate.goodbye(other)?.reason == .reseated, "it joins again, with the view of the seat")
  }

  @Test func `one device whose token admits a viewer is enough that the person has no seat`() throws {
    let gate = Gate()
    var phone = hello
    phone.sessionName = [1]
    let player = gate.join(0, hello, try granted())
    let viewer = gate.join(1, phone, try granted(role: .spectator, name: "Ann"))
    #expect(gate.welcome(viewer)?.seat == .spectator && gate.seats == [])
    #expect(gate.goodbye(player)?.reason == .reseated)
    // It comes back with its old token, which still says something else.
    let again = gate.join(2, hello, try granted())
    #expect(gate.welcome(again)?.seat == .spectator && gate.goodbye(viewer) == nil && gate.seats == [])
    gate.shard.closed(viewer, at: gate.now)
    let alone = gate.join(3, hello, try granted())
    #expect(gate.welcome(alone)?.seat.rawValue == 1 && gate.names == ["Ann"])
  }

  @Test func `a hello that is refused has changed nothing`() throws {
    let gate = Gate()
    _ = gate.join(0, hello, try granted(seat: 1, name: "Ann"))
    _ = gate.join(1, hello, try granted(to: "bea", seat: 2, name: "Bea"))
    let refused = gate.join(2, hello, try granted(seat: 2, name: "Anna"))
    #expect(gate.goodbye(refused)?.reason == .tableFull)
    #expect(gate.names.sorted() == ["Ann", "Bea"])
  }

  @Test func `the host gives a person no seat but that of its token`() throws {
    let gate = Gate()
    let host = gate.join(0, hello, try granted())
    let named = gate.join(1, hello, try granted(to: "bea", seat: 2))
    let session = try #require(gate.welcome(named)?.session)
    let operation = TableOperation(
      sequence: SequenceNumber(rawValue: 1), base: try #require(gate.shard.state(ofTable: "t")?.revision),
      epoch: try #require(gate.welcome(host)?.epoch),
      kind: HostAction.give(SeatNumber(rawValue: 3), to: session).operation)
    gate.send(.operation(operation), host)
    #expect(gate.refusals(host) == [.permissionDenied])
    #expect(gate.seats.sorted() == [1, 2])
  }

  @Test func `the token names the seat, unless another has it or the table has none such`() throws {
    let gate = Gate()
    let ann = gate.join(0, hello, try granted(seat: 2, name: "Ann"))
    #expect(gate.welcome(ann)?.seat.rawValue == 2)
    let late = gate.join(1, hello, try granted(to: "bea", seat: 2))
    #expect(gate.goodbye(late)?.reason == .tableFull)
    #expect(gate.goodbye(late)?.detail.contains("that of Ann") == true)
    let beyond = gate.join(2, hello, try granted(to: "bea", seat: 99))
    #expect(gate.goodbye(beyond)?.reason == .tokenRefused)
    #expect(gate.goodbye(beyond)?.detail.contains("names seat 99") == true)
    let free = gate.join(3, hello, try granted(to: "bea"))
    #expect(gate.welcome(free)?.seat.rawValue == 1)
    let moved = gate.join(4, hello, try granted(seat: 3))
    #expect(gate.welcome(moved)?.seat.rawValue == 3)
    #expect(gate.welcome(moved)?.session == gate.welcome(ann)?.session)
    #expect(gate.seats.sorted() == [1, 3])
    // A table of which the type has not that seat is not even made.
    var other = hello
    other.table = "u"
    let none = gate.join(5, other, try granted(seat: 99))
    #expect(gate.goodbye(none)?.reason == .tokenRefused)
    #expect(gate.shard.tableCount == 1)
  }

  @Test func `a person has the name of its last token`() throws {
    let gate = Gate()
    _ = gate.join(0, hello, try granted(name: "Ann"))
    #expect(gate.names == ["Ann"])
    _ = gate.join(1, hello, try granted(name: "Anna"))
    #expect(gate.names == ["Anna"])
    _ = gate.join(2, hello, try granted())
    #expect(gate.names == ["Anna"], "without one in the token, what the client says changes nothing")
  }

  @Test func `a member is told when its token ends, and stays with the next one`() throws {
    let gate = Gate()
    let id = gate.join(0, hello, try granted(seconds: 60))
    #expect(gate.times(id) == [60])
    gate.pass(seconds: 40)
    gate.send(.signedToken("def"), id)
    // Of what comes while one is verified, nothing follows.
    gate.send(.signedToken("ghi"), id)
    #expect(gate.asked.map(\.token) == ["abc", "def"])
    gate.verified(id, try granted(seconds: 120))
    #expect(gate.times(id) == [60, 80])
    gate.pass(seconds: 40)
    gate.send(.ping(Ping(nonce: 1)), id)
    gate.pass(seconds: 39)
    #expect(gate.goodbye(id) == nil)
    // A machine that was suspended meanwhile has missed time, but the token has not.
    gate.shard.unixTime += 3_600
    gate.pass(seconds: 1)
    #expect(gate.goodbye(id)?.reason == .tokenExpired && gate.goodbye(id)?.isResumable == true)
  }

  @Test func `a member's next token is looked at as that of a hello`() throws {
    for (verdict, reason) in [
      (try granted(to: "bea"), GoodbyeReason.tokenRefused), (try granted("other"), .tokenRefused),
      (.refused, .tokenRefused), (.expired, .tokenExpired), (.postponed, .slow),
      (try granted(role: .spectator), .reseated), (try granted(seat: 2), .reseated),
      (try granted(name: "Ann"), .reseated),
    ] {
      let gate = Gate()
      let id = gate.join(0, hello, try granted())
      gate.send(.signedToken("def"), id)
      gate.verified(id, verdict)
      #expect(gate.goodbye(id)?.reason == reason, "\(verdict)")
    }
    let gate = Gate()
    let id = gate.join(0, hello, try granted())
    gate.send(.signedToken(""), id)
    gate.verified(id, .refused)
    #expect(gate.goodbye(id)?.reason == .tokenRefused)
    gate.shard.closed(id, at: gate.now)
    gate.verified(id, try granted())
  }

  @Test func `where no token is needed, one is ignored`() throws {
    var shard = ShardMachine(types: SimulatedTypes(), random: RandomSource(seed: 1))
    let id = ConnectionID(slot: 0, generation: 1)
    let now = Instant(nanoseconds: 1)
    shard.connected(id, at: now)
    for message in [ClientMessage.hello(hello), .signedToken("abc")] {
      _ = message.framed().withUnsafeBytes { shard.receive($0, FrameReader(), on: id, at: now) }
      #expect(shard.endTurn(at: now).verifications == [])
    }
    #expect(shard.state(ofTable: "t")?.seats.count == 1)
  }

  @Test func `what is revoked ends at all tables, and what was being verified is refused`() throws {
    let gate = Gate()
    var ids: [ConnectionID] = []
    for (slot, table) in ["a", "b", "c"].enumerated() {
      var hello = hello
      hello.table = table
      ids.append(gate.join(UInt32(slot), hello, try granted(tokenID: "1")))
    }
    let other = gate.join(3, hello, try granted(to: "bea", tokenID: "2"))
    let third = gate.join(4, hello, try granted(to: "cy", tokenID: "3"))
    let coming = gate.hello(5, hello)
    gate.shard.verified(coming, try granted())
    gate.shard.revoke([.subject(issuer: "app", subject: "ann"), .token(issuer: "app", id: "3")])
    gate.shard.admitWaiting(at: gate.now)
    gate.pass(seconds: 2)
    for id in ids + [third, coming] {
      #expect(gate.goodbye(id)?.reason == .tokenRefused && gate.goodbye(id)?.isResumable == false)
    }
    #expect(gate.welcome(coming) == nil)
    #expect(gate.goodbye(other) == nil)
    gate.shard.revoke([.subject(issuer: "other", subject: "bea"), .token(issuer: "other", id: "2")])
    gate.pass(seconds: 2)
    #expect(gate.goodbye(other) == nil)
    gate.shard.revoke([])
    let again = gate.join(6, hello, try granted())
    #expect(gate.welcome(again) != nil)
  }

  @Test func `an address has a part of the places of those who wait`() throws {
    let gate = Gate()
    let (one, other) = (PeerID(high: 0, low: 7), PeerID(high: 0, low: 8))
    for slot in 0..<UInt32(ServerLimits.tokensWaitingPerAddressMax) { _ = gate.hello(slot, hello, from: one) }
    let late = gate.hello(500, hello, from: one)
    #expect(gate.goodbye(late)?.reason == .slow && gate.goodbye(late)?.retryAfterMilliseconds ?? 0 > 0)
    #expect(gate.goodbye(gate.hello(501, hello, from: other)) == nil)
    gate.verified(ConnectionID(slot: 0, generation: 1), .refused)
    #expect(gate.goodbye(gate.hello(502, hello, from: one)) == nil)
  }

  @Test func `an operator who watches needs no token`() throws {
    let gate = Gate()
    _ = gate.join(0, hello, try granted())
    let id = ConnectionID(slot: 1, generation: 1)
    gate.shard.connected(id, isOperator: true, at: gate.now)
    gate.send(.hello(Hello(table: "t", role: .spectator)), id)
    #expect(gate.welcome(id)?.seat == .spectator)
    // And it can do nothing else.
    for (slot, hello) in [Hello(table: "t", tableType: "list?items=3"), Hello(table: "u", tableType: "list")]
      .enumerated()
    {
      let id = ConnectionID(slot: UInt32(slot) + 2, generation: 1)
      gate.shard.connected(id, isOperator: true, at: gate.now)
      gate.send(.hello(hello), id)
      #expect(gate.welcome(id)?.seat == (slot == 0 ? .spectator : nil))
      #expect(gate.goodbye(id)?.reason == (slot == 0 ? nil : .unknownTable))
    }
  }

  @Test func `issuer and subject are the person, on all devices and whatever the credential is`() throws {
    let gate = Gate()
    var (phone, thief) = (hello, hello)
    (phone.sessionName, phone.credential) = ([1], [UInt8](repeating: 7, count: 32))
    thief.credential = phone.credential
    let ids = [gate.hello(0, hello), gate.hello(1, phone), gate.hello(2, thief)]
    for (id, subject) in zip(ids, ["ann", "ann", "bea"]) { gate.verified(id, try granted(to: subject)) }
    #expect(ids.map { gate.welcome($0)?.person.rawValue } == [1, 1, 3])
    #expect(ids.map { gate.welcome($0)?.seat.rawValue } == [1, 1, 2])
    #expect(ids.allSatisfy { gate.goodbye($0) == nil })
  }

  @Test func `a token gives no right to create`() throws {
    let gate = Gate(creation: .nobody)
    let id = gate.hello(0, hello)
    gate.verified(id, try granted())
    #expect(gate.goodbye(id)?.reason == .createNotAllowed)
  }

  @Test func `a member whose token expires is told so, and others are not`() throws {
    let gate = Gate()
    let ids = [gate.hello(0, hello), gate.hello(1, hello)]
    gate.verified(ids[0], try granted(seconds: 5))
    gate.verified(ids[1], try granted(to: "bea"))
    for second in 1...6 {
      gate.pass(seconds: 1)
      #expect((gate.goodbye(ids[0]) != nil) == (second >= 5), "\(second)")
    }
    #expect(gate.goodbye(ids[0])?.reason == .tokenExpired)
    #expect(gate.goodbye(ids[0])?.isResumable == true)
    #expect(gate.goodbye(ids[1]) == nil)
  }

  @Test func `a pattern is a name, or the beginning of one with a star behind it`() {
    for (text, matches, others) in [
      ("board", ["board"], ["boar", "board1", "Board", ""]), ("team-*", ["team-", "team-7"], ["team", "xteam-"]),
      ("*", ["a", "b.c"], []),
    ] {
      let pattern = TablePattern(parsing: text)
      for name in matches { #expect(pattern?.matches(name) == true, "\(text) \(name)") }
      for name in others { #expect(pattern?.matches(name) == false, "\(text) \(name)") }
    }
    for text in ["", "**", "*a", "a*b", "a b", "ä", "a/*", String(repeating: "a", count: 65)] {
      #expect(TablePattern(parsing: text) == nil, "\(text)")
    }
  }
}
