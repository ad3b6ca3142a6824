import BaizeDriver
import BaizeLaboratory
import Foundation
import Testing

@testable import BaizeTransport

extension TransportTests {
  @Suite struct Connecting {
    @Test(arguments: SelectorKind.allCases)
    func `a connection is established, and bytes queued before are sent`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let port = try test.listenOnLoopback()
      #expect(port != 0)
      let key = try test.loop.connect(to: .loopback(port: port))
      test.send(key, [1, 2])
      #expect(test.events.isEmpty, "no callback from within a call")
      try #require(try test.turns(until: { test.events.count == 3 }))
      #expect(test.events.contains(.connected(key)))
      #expect(test.events.contains { if case .received(let other, [1, 2]) = $0 { other != key } else { false } })
      #expect(test.loop.connectionCount == 2)
    }

    @Test(arguments: SelectorKind.allCases)
    func `a refused connect is reported once, and not as closed`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let listener = try test.loop.listen(on: .loopback(port: 0))
      let address = try #require(test.loop.address(of: listener))
      test.loop.stopListening(listener)
      #expect(test.loop.address(of: listener) == nil)
      let key = try test.loop.connect(to: address)
      try #require(try test.turns(until: { !test.events.isEmpty }))
      try test.settle()
      #expect(test.events == [.connectFailed(key, SystemError(call: "connect", errno: ECONNREFUSED))])
      #expect(test.loop.connectionCount == 0)
    }

    @Test(arguments: SelectorKind.allCases)
    func `a port in use is an error with a name`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let port = try test.listenOnLoopback()
      let error = #expect(throws: SystemError.self) { try test.loop.listen(on: .loopback(port: port)) }
      #expect(error == SystemError(call: "bind", errno: EADDRINUSE))
      #expect(error?.description.hasPrefix("bind: ") == true)
    }

    @Test(arguments: SelectorKind.allCases)
    func `accepted connections stay when their listener is closed in the callback`(_ kind: SelectorKind) throws {
      let test = try TestLoop(kind)
      let listener = try test.loop.listen(on: .loopback(port: 0))
      let port = try #require(test.loop.address(of: listener)?.port)
      let peers = try (0..<3).map { _ in try TestPeer(port: port) }
      try #require(try test.turns(until: { test.events.count == 3 }))
      test.loop.stopListening(listener)
      for peer in peers { peer.write([1]) }
      try #require(try test.turns(until: { test.events.count == 6 }))
    }

    /// In a process of its own, since the limit is the process's.
    @Test func `a listener pauses without descriptors and then resumes`() async {
      await #expect(processExitsWith: .success) {
        for kind in SelectorKind.allCases { try restWithoutDescriptors(kind) }
      }
    }
  }
}

/// Without the pause, the level-triggered selector would report the waiting connection again and again.
private func restWithoutDescriptors(_ kind: SelectorKind) throws {
  let test = try TestLoop(kind)
  let peer = try TestPeer(port: test.listenOnLoopback())
  let limit = DescriptorSqueeze()
  var pauses: [(began: UInt64, turns: Int)] = []
  for number in 1...3 {
    while test.events.count < number { try test.loop.turn(test, timeout: HangGuard.nanoseconds) }
    guard case .acceptPaused? = test.events.last else { break }
    pauses.append((test.turns.last ?? 0, test.turns.count))
  }
  limit.release()
  #expect(test.events == Array(repeating: .acceptPaused(SystemError(call: "accept", errno: EMFILE)), count: 3))
  for (pause, next) in zip(pauses, pauses.dropFirst()) {
    #expect(next.began - pause.began >= TransportLimits.acceptPauseNanoseconds, "the listener does not pause")
    #expect(next.turns - pause.turns <= 2, "the loop spins during the pause")
  }
  try #require(try test.turns(until: { test.events.count == 4 }))
  guard case .accepted? = test.events.last else {
    Issue.record("\(test.events)")
    return
  }
  withExtendedLifetime(peer) {}
}

/// Lowers the process's limit to its standard streams, so that there is no free descriptor whatever other threads close, until it
/// is released.
private struct DescriptorSqueeze {
  private var before = rlimit()

  init() {
    getrlimit(Self.resource, &before)
    var squeezed = before
    squeezed.rlim_cur = 3
    setrlimit(Self.resource, &squeezed)
  }

  func release() {
    var limit = before
    setrlimit(Self.resource, &limit)
  }

  #if canImport(Darwin)
    private static let resource = RLIMIT_NOFILE
  #else
    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #endif
}
