import BaizeTransport
import BaizeWire
import Foundation

/// Whether a daemon lets go of those who do not read or do not speak, while others play on, and takes them back.
struct LettingGo {
  var options: LoadOptions
  let stalled: Int
  let core: Int?
  let report: (String) -> Void

  /// Short limits, in seconds.
  private static let heartbeat = 2
  private static let limits = ["--heartbeat", "\(heartbeat)", "--handshake", "1", "--stalled", "2"]
  /// How long to wait at most until everyone is let go.
  private static let patienceSeconds = 30.0

  /// Those who are to be let go.
  private struct Guests {
    /// They read nothing after the snapshot.
    var stalled: [StubbornReader] = []
    /// It reads a byte a second.
    var trickle: StubbornReader?
    /// They read, and say nothing: as a peer that is no more, and whose network does not tell.
    var silent: [StubbornReader] = []
    /// They never said hello.
    var mute: [StubbornReader] = []

    var withSession: [StubbornReader] { stalled + [trickle].compactMap(\.self) + silent }
  }

  func perform() throws -> Bool {
    let daemon = try ChildProcess.daemon(shards: 1, core: core, flags: Self.limits)
    defer { daemon.stop() }
    var options = options
    options.address = daemon.address
    // What is open in a daemon at which nobody is.
    let alone = daemon.times.descriptorCount ?? 0
    var guests = Guests()
    var session = LoadSession(options: options, report: report)
    session.joined = { guests = try invite(options) }
    session.secondPassed = { guests.trickle?.sip() }
    let start = MonotonicClock.now()
    let others = try session.perform().result
    let areAllGone = wait(for: daemon, toHold: alone, guests.trickle)
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    if !others.faults.isNone { report(others.text) }
    let endings = [guests.stalled + [guests.trickle].compactMap(\.self), guests.silent, guests.mute]
      .map { $0.map { $0.readToEnd() } }
    let resumed = areAllGone ? try comeBack(guests.withSession, options) : 0
    let isToldWhy = (endings[1] + endings[2]).allSatisfy { $0 == .goodbye("TIMEOUT") }
    let isSound =
      others.faults.isNone && areAllGone && isToldWhy && endings[0].allSatisfy { $0 != .none }
      && resumed == guests.withSession.count
    report(
      "let go within \(LoadResult.fixed(seconds, 1)) s: \(stalled) stalled, 1 at a byte a second, \(guests.silent.count) silent, "
        + "\(guests.mute.count) without a hello; \(resumed) of \(guests.withSession.count) came back to their sessions; "
        + "others \(others.faults.isNone ? "unharmed" : "HARMED")\(isSound ? "" : ", NOT SOUND: \(endings)")")
    return isSound
  }

  private func invite(_ options: LoadOptions) throws -> Guests {
    var guests = Guests()
    func guest(_ number: Int) throws -> StubbornReader {
      let reader = try StubbornReader(options.address)
      try reader.join(Hello(table: options.tableName(number % options.tables), name: "guest", role: .spectator))
      return reader
    }
    guests.stalled = try (0..<stalled).map(guest)
    guests.trickle = try guest(0)
    // They need room for all that comes: nobody reads it until the end.
    guests.silent = try (0..<2).map { _ in
      let reader = try StubbornReader(options.address, receiveBufferBytes: 4 << 20)
      try reader.join(Hello(table: "silent", tableType: "list", role: .spectator))
      return reader
    }
    guests.mute = try (0..<2).map { _ in try StubbornReader(options.address) }
    return guests
  }

  /// Waits until the daemon holds no connection any more.
  private func wait(for daemon: ChildProcess, toHold count: Int, _ trickle: StubbornReader?) -> Bool {
    let end = MonotonicClock.now() + UInt64(Self.patienceSeconds * 1e9)
    while daemon.times.descriptorCount != count {
      guard MonotonicClock.now() < end else { return false }
      trickle?.sip()
      usleep(500_000)
    }
    return true
  }

  /// - Returns: How many came back to the session that they had, and to a stream in order.
  private func comeBack(_ guests: [StubbornReader], _ options: LoadOptions) throws -> Int {
    try guests.enumerated().count { number, guest in
      guard let welcome = guest.welcome else { return false }
      let isSilent = number >= stalled + 1
      let table = isSilent ? "silent" : options.tableName(number == stalled ? 0 : number % options.tables)
      let reader = try StubbornReader(options.address, receiveBufferBytes: 1 << 20)
      try reader.join(Hello(table: table, role: .spectator, resumeToken: welcome.resumeToken))
      return reader.welcome?.session == welcome.session
    }
  }
}
