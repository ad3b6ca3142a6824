import BaizeHarness
import BaizeTransport
import BaizeWire
import Foundation

/// Checks that a daemon closes connections that do not read or do not send, while others play on, and lets them resume.
struct TimeoutCheck {
  let options: LoadOptions
  let stalled: Int
  let core: Int?
  let report: (String) -> Void

  /// Short limits, in seconds.
  private static let limits = ["--heartbeat", "2", "--handshake", "1", "--stalled", "2"]
  /// The maximum time until all are closed.
  private static let timeoutSeconds = 30.0

  /// The connections that are to be closed.
  private struct Guests {
    /// They read nothing after the snapshot.
    var stalled: [BlockingClient] = []
    /// It reads a byte a second.
    var trickle: BlockingClient?
    /// They read and send nothing, like a peer that has lost its network.
    var silent: [BlockingClient] = []
    /// They never send a hello.
    var withoutHello: [BlockingClient] = []
    /// The sessions of all but those without a hello, with their tables.
    var sessions: [(table: String, welcome: Welcome)] = []
  }

  /// The end of a connection, as its client observed it.
  private enum Ending: Equatable {
    case goodbye(GoodbyeReason)
    /// The stream ended, maybe in the middle of a frame: the goodbye did not fit behind the unread bytes.
    case closed
    /// Nothing ended in time.
    case none
  }

  func perform() throws -> Bool {
    let daemon = try ChildProcess.daemon(shards: 1, core: core, flags: Self.limits)
    defer { daemon.stop() }
    let descriptors = daemon.usage.descriptorCount
    var guests = Guests()
    let start = MonotonicClock.now()
    let others = try LoadSession.measure(options, on: daemon, report: report) { session in
      session.joined = { guests = try invite(daemon.address) }
      session.secondPassed = { guests.trickle?.readByte() }
    }
    let areAllClosed =
      nil
      != (try? waitUntil(
        seconds: Self.timeoutSeconds, for: "the connections to be closed",
        step: {
          guests.trickle?.readByte()
          usleep(500_000)
        }, { daemon.usage.descriptorCount == descriptors }))
    let seconds = Double(MonotonicClock.now() - start) / 1e9
    let readers = (guests.stalled + [guests.trickle].compactMap(\.self)).map(Self.ending)
    let quiet = (guests.silent + guests.withoutHello).map(Self.ending)
    let resumed = areAllClosed ? try guests.sessions.count { try resumes($0.welcome, $0.table, daemon.address) } : 0
    let isSound =
      others.faults.isNone && areAllClosed && quiet.allSatisfy { $0 == .goodbye(.timeout) }
      && readers.allSatisfy { $0 != .none } && resumed == guests.sessions.count
    report(
      "closed within \(LoadResult.fixed(seconds, 1)) s: \(stalled) stalled, 1 at a byte a second, \(guests.silent.count) silent, "
        + "\(guests.withoutHello.count) without a hello; \(resumed) of \(guests.sessions.count) resumed their sessions; "
        + "others \(others.faults.isNone ? "unharmed" : "HARMED")\(isSound ? "" : ", NOT SOUND: \(readers) \(quiet)")")
    return isSound
  }

  private func invite(_ address: SocketAddress) throws -> Guests {
    var guests = Guests()
    func guest(_ table: String, type: String = "", bufferBytes: Int32 = 4 << 10) throws -> BlockingClient {
      let client = try BlockingClient(address, receiveBufferBytes: bufferBytes, timeoutSeconds: 10)
      let joined = try client.join(Hello(table: table, tableType: type, name: "guest", role: .spectator))
      guests.sessions.append((table, joined.welcome))
      return client
    }
    guests.stalled = try (0..<stalled).map { try guest(options.tableName($0 % options.tables)) }
    guests.trickle = try guest(options.tableName(0))
    // They need large receive buffers: nothing is read until the end.
    guests.silent = try (0..<2).map { _ in try guest("silent", type: "list", bufferBytes: 4 << 20) }
    guests.withoutHello = try (0..<2).map { _ in try BlockingClient(address, timeoutSeconds: 10) }
    return guests
  }

  /// Reads to the end of the stream.
  private static func ending(_ client: BlockingClient) -> Ending {
    let goodbye = try? client.first { if case .goodbye(let goodbye) = $0 { goodbye.reason } else { nil } }
    return goodbye.map(Ending.goodbye) ?? (client.hasEnded ? .closed : .none)
  }

  /// Whether a new connection resumes a session.
  private func resumes(_ welcome: Welcome, _ table: String, _ address: SocketAddress) throws -> Bool {
    let client = try BlockingClient(address, receiveBufferBytes: 1 << 20, timeoutSeconds: 10)
    let hello = Hello(table: table, role: .spectator, resumeToken: welcome.resumeToken)
    return try client.join(hello).welcome.session == welcome.session
  }
}
