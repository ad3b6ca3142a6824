import BaizeTable
import BaizeWire
import Testing

@testable import BaizeSync

/// A person with several sessions: devices or tabs that share a seat and nothing else (J11).
@Suite struct PersonTests {
  private let daemon = Daemon {
    $0.sessions.graceSeconds = 20
    $0.connections.heartbeatSeconds = 1_000_000
  }

  private func device(_ name: UInt8, of peer: Peer, type: String = "", role: Role = .player) -> Peer {
    Peer(daemon, type: type, role: role, credential: peer.credential, sessionName: [name])
  }

  @Test func `another device has a session of its own and the same seat, and displaces nobody`() {
    let laptop = Peer(daemon)
    let other = Peer(daemon)
    let phone = device(1, of: laptop)
    #expect(phone.session != laptop.session && phone.welcome?.person == laptop.session)
    #expect(phone.welcome?.seat == laptop.welcome?.seat && phone.welcome?.ticket != laptop.welcome?.ticket)
    #expect(laptop.goodbye == nil && daemon.state.seats.count == 2)
    // Each has numbers of its own.
    #expect(laptop.ask(laptop.move(3, before: 1))?.diff?.sequence.rawValue == 1)
    phone.receive()
    #expect(phone.ask(phone.move(4, before: 1))?.diff?.sequence.rawValue == 1)
    for peer in [laptop, phone, other] { #expect(peer.catchUp() && peer.order() == [3, 4, 1, 2, 5]) }
  }

  @Test func `undo is of one's own session`() {
    let laptop = Peer(daemon)
    let phone = device(1, of: laptop)
    laptop.receive()
    #expect(laptop.ask(laptop.move(5, before: 1))?.diff != nil)
    phone.receive()
    #expect(phone.ask(.undo(SequenceNumber(rawValue: 1)))?.diff == nil)
    laptop.receive()
    #expect(laptop.ask(.undo(SequenceNumber(rawValue: 1)))?.diff != nil && laptop.order() == [1, 2, 3, 4, 5])
  }

  @Test func `others see who is there with which sessions`() {
    let laptop = Peer(daemon)
    let other = Peer(daemon)
    let phone = device(1, of: laptop)
    func seat() -> Seat? { other.receive().compactMap(\.seats).last?.first }
    let sessions = [laptop.session, phone.session].compactMap(\.self)
    #expect(seat()?.connectedSessions == sessions)
    daemon.lose(laptop.connection)
    daemon.endTurn()
    let alone = seat()
    #expect(alone?.isConnected == true && alone?.connectedSessions == [sessions[1]])
    daemon.lose(phone.connection)
    daemon.endTurn()
    #expect(seat()?.connectedSessions == [])
  }

  @Test func `a seat is absent once all sessions are gone, and comes back with any`() {
    let laptop = Peer(daemon)
    let other = Peer(daemon)
    let phone = device(1, of: laptop)
    daemon.lose(laptop.connection)
    for peer in [other, phone] { peer.send(.ping(Ping(nonce: 1))) }
    daemon.sweep(afterSeconds: 20)
    #expect(daemon.state.seats.allSatisfy { !$0.isAbsent })
    daemon.lose(phone.connection)
    daemon.sweep(afterSeconds: 19)
    #expect(daemon.state.seats.allSatisfy { !$0.isAbsent })
    daemon.sweep(afterSeconds: 1)
    #expect(daemon.state.seats.map(\.isAbsent) == [true, false])
    let tablet = device(2, of: laptop)
    #expect(tablet.welcome?.seat.rawValue == 1 && daemon.state.seats.map(\.isAbsent) == [false, false])
    #expect(other.catchUp() && tablet.isConverged)
  }

  @Test func `who leaves, leaves with all sessions`() {
    let laptop = Peer(daemon)
    let other = Peer(daemon)
    let phone = device(1, of: laptop)
    let away = device(2, of: laptop)
    daemon.lose(away.connection)
    laptop.exchange(.goodbye(Goodbye(.leaving)))
    phone.receive()
    #expect(phone.goodbye?.reason == .leaving && phone.goodbye?.isResumable == false)
    #expect(daemon.state.seats.map(\.number.rawValue) == [2] && daemon.table.sessions.count == 1)
    #expect(other.catchUp())
  }

  @Test func `who is kicked, is kicked with all sessions`() {
    let host = Peer(daemon)
    let laptop = Peer(daemon)
    let phone = device(1, of: laptop)
    host.receive()
    #expect(host.ask(HostAction.kick(SeatNumber(rawValue: 2)).operation)?.diff != nil)
    for peer in [laptop, phone] {
      peer.receive()
      #expect(peer.goodbye?.reason == .kicked)
    }
    #expect(daemon.table.sessions.count == 1 && host.catchUp())
  }

  @Test func `all of the host's sessions are the host's`() {
    let host = Peer(daemon)
    let phone = device(1, of: host)
    let other = Peer(daemon)
    phone.receive()
    let freeze = HostAction.freeze(CollectionHandle(rawValue: 1)).operation
    #expect(other.ask(freeze)?.reason == .permissionDenied && phone.ask(freeze)?.diff != nil)
    #expect(phone.ask(HostAction.kick(SeatNumber(rawValue: 1)).operation)?.reason == .permissionDenied)
  }

  @Test func `a seat that is given is given to all sessions, which join again`() {
    let host = Peer(daemon, type: "hands")
    let watcher = Peer(daemon, type: "hands", role: .spectator)
    let second = device(1, of: watcher, type: "hands", role: .spectator)
    host.receive()
    let give = HostAction.give(SeatNumber(rawValue: 2), to: second.session ?? .daemon)
    #expect(host.ask(give.operation)?.diff != nil)
    for peer in [watcher, second] {
      peer.receive()
      #expect(peer.goodbye?.reason == .reseated)
      peer.reconnect(role: .spectator)
      #expect(peer.welcome?.seat.rawValue == 2)
    }
    for peer in [host, watcher, second] { #expect(peer.catchUp()) }
  }

  @Test func `a spectator who sits down on one device sits on all`() {
    let host = Peer(daemon, type: "hands")
    let watcher = Peer(daemon, type: "hands", role: .spectator)
    let phone = device(1, of: watcher, type: "hands")
    #expect(phone.welcome?.seat.rawValue == 2)
    watcher.receive()
    #expect(watcher.goodbye?.reason == .reseated && watcher.goodbye?.isResumable == true)
    watcher.reconnect(role: .spectator)
    #expect(watcher.welcome?.seat.rawValue == 2)
    for peer in [host, watcher, phone] { #expect(peer.catchUp()) }
  }

  @Test func `a ninth session replaces the one that was away longest; nine at once are too many`() {
    let first = Peer(daemon)
    let others = (1..<UInt8(TableLimits.sessionsPerPersonMax)).map { device($0, of: first) }
    #expect(device(100, of: first).goodbye?.reason == .tableFull)
    daemon.lose(others[3].connection)
    daemon.pass(seconds: 1)
    daemon.lose(others[0].connection)
    daemon.endTurn()
    let new = device(100, of: first)
    #expect(new.welcome?.seat.rawValue == 1 && daemon.table.sessions.count == TableLimits.sessionsPerPersonMax)
    let again = device(1, of: first)
    #expect(again.goodbye?.reason == nil && again.session == others[0].session)
    #expect(device(4, of: first).goodbye?.reason == .tableFull, "it was forgotten, and is new")
  }

  @Test func `persons last over a restart`() {
    let laptop = Peer(daemon)
    let phone = device(1, of: laptop)
    // The first session is forgotten before the second.
    daemon.restart()
    let back = device(1, of: laptop)
    #expect(back.session == phone.session && back.welcome?.person == laptop.session)
    #expect(back.welcome?.seat.rawValue == 1 && back.welcome?.ticket == phone.welcome?.ticket)
    let tablet = device(2, of: laptop)
    #expect(tablet.welcome?.person == laptop.session && daemon.state.seats.count == 1)
    #expect(back.catchUp() && tablet.isConverged)
  }

  @Test func `a person without a credential never comes back, and its seat is kept for the grace time`() {
    let other = Peer(daemon)
    let visitor = daemon.connect(Hello(table: "t"))
    #expect(daemon.take(visitor).compactMap(\.welcome).first?.seat.rawValue == 2)
    daemon.lose(visitor)
    other.send(.ping(Ping(nonce: 1)))
    daemon.sweep(afterSeconds: 20)
    #expect(daemon.state.seats.map(\.number.rawValue) == [1])
    let next = daemon.connect(Hello(table: "t"))
    #expect(daemon.take(next).compactMap(\.welcome).first?.session.rawValue == 3)
  }

  /// A client that comes back to another table of that name, with the same numbers, is not deceived.
  @Test func `I7: a session of an earlier table is not taken for one of the present one`() {
    let daemon = Daemon(durability: .memory)
    let host = Host(daemon)
    let later = Daemon(durability: .memory)
    // Both draw the same numbers, this one in another order.
    _ = Peer(later, table: "another")
    let ticket = host.machine.welcome?.ticket
    let peer = Peer(later, credential: host.machine.identity.credential, sessionName: host.machine.identity.sessionName)
    #expect(
      peer.welcome?.session == host.machine.welcome?.session && peer.welcome?.epoch == host.machine.welcome?.epoch)
    #expect(peer.welcome?.ticket != ticket)
  }

  /// The examples of FIPS 180-4, and one whose padding needs a block of its own.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ), (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
  ])
  func `SHA-256 digests are correct`(text: String, digest: String) {
    let hexadecimal = SHA256.digest(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    #expect(hexadecimal == digest)
  }
}
