import BaizeCommandLine
import BaizeDriver
import BaizeLaboratory
import BaizeTransport
import BaizeWire
import Foundation

/// Strangers who take every connection that they can get at the operator's address, then at that for browsers, from many
/// addresses and as fast as they can. The operator and honest clients ask for what is theirs meanwhile.
struct DoorAttack {
  let options: HostileOptions

  /// The number of connections that strangers hold; the oldest is replaced all the time.
  private static let heldMax = 1_000
  /// The number of addresses on this machine, from 127.0.0.2 on, that they come from.
  private static let addresses: UInt8 = 16
  private static let requests = 320
  private static let secondsMax = 5

  /// What strangers do with their connections.
  private enum Stranger: String, CaseIterable {
    case silent, slowHeads = "slow heads", idle = "idle, after a request", pipelined = "pipelined, unread"
    case halfOpen = "half open", wrongToken = "wrong tokens"

    var bytes: [UInt8] {
      let page = "GET /baize.js HTTP/1.1\r\nHost: localhost\r\n\r\n"
      switch self {
      case .silent, .halfOpen: return []
      case .slowHeads: return Array("GET / HTTP/1.1\r\nHost: localhost\r\nX: ".utf8)
      case .idle: return Array("GET /nowhere HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
      case .pipelined: return Array(String(repeating: page, count: 40).utf8)
      case .wrongToken:
        return Array("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n".utf8)
      }
    }
  }

  /// - Returns: Whether everyone got what is theirs.
  func perform() throws -> Bool {
    let daemon = try ChildProcess(
      "baized",
      ["--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--durability", "memory"],
      marker: ChildProcess.daemonMarker, programs: options.programs,
      environment: [DaemonMetrics.environment.0: DaemonMetrics.environment.1])
    let metrics = try DaemonMetrics(daemon)
    let token = "Authorization: Bearer \(DaemonMetrics.environment.1)"
    var failures = 0
    for stranger in Stranger.allCases {
      failures += try besides(stranger, at: metrics.address, "the operator's address") { number in
        switch number % 4 {
        case 0: try answer(metrics.address, "GET /healthz") == 200
        case 1: try answer(metrics.address, "GET /readyz") == 200
        case 2: try answer(metrics.address, "GET /metrics", token) == 200
        case _: try answer(metrics.address, "GET /tables", token) == 200
        }
      }
      let http = try daemon.httpAddress
      failures += try besides(stranger, at: http, "the address for browsers") { number in
        switch number % 4 {
        case 0: try answer(http, "GET /") == 200
        case 1: try answer(http, "GET /ws", Self.upgrade) == 101
        case 2: try answer(metrics.address, "GET /healthz") == 200
        case _: try joins(daemon.address)
        }
      }
      guard daemon.isRunning else { break }
    }
    let isAlive = daemon.isRunning
    let code = daemon.stop()
    let hasPassed = failures == 0 && isAlive && code == 0
    Console.print(hasPassed ? "passed" : "failed: \(failures) requests, code \(code)")
    return hasPassed
  }

  private static let upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="

  // MARK: Strangers

  /// Has strangers take connections while requests are made.
  ///
  /// - Returns: The number of requests that were not answered as they should be.
  private func besides(
    _ stranger: Stranger, at address: SocketAddress, _ name: String, _ request: (Int) throws -> Bool
  ) throws -> Int {
    let (isStopping, isFull) = (Flag(), Flag())
    let (bytes, endsSending) = (stranger.bytes, stranger == .halfOpen)
    let thread = try LoopThread(name: "strangers") {
      Affinity.useIdleProcessors()
      var held: [BlockingClient] = []
      var number = 0
      while !isStopping.isSet {
        // Where no more come in, the oldest goes, and the next one tries again.
        if let client = try? BlockingClient(address, from: 2 + UInt8(number % Int(Self.addresses))) {
          client.wait(seconds: 0, microseconds: 1_000)
          if !bytes.isEmpty { client.write(bytes) }
          if endsSending { client.endSending() }
          held.append(client)
        }
        number += 1
        if held.count >= Self.heldMax {
          isFull.set()
          held.removeFirst(Self.heldMax / 10)
        }
      }
    }
    let began = MonotonicClock.now()
    while !isFull.isSet, MonotonicClock.now() < began + 20_000_000_000 { Thread.sleep(forTimeInterval: 0.01) }
    var times = Histogram()
    var failures = 0
    for number in 0..<Self.requests {
      let start = MonotonicClock.now()
      let isAnswered = (try? request(number)) ?? false
      times.record(MonotonicClock.now() - start)
      if !isAnswered { failures += 1 }
    }
    isStopping.set()
    thread.join()
    let figures = [0.5, 0.99, 1].map { String(format: "%.1f ms", Double(times.percentile($0)) / 1e6) }
    Console.print(
      "\(name), \(stranger.rawValue), \(isFull.isSet ? "\(Self.heldMax)" : "fewer") connections: \(failures) of "
        + "\(Self.requests) requests failed; p50 \(figures[0]), p99 \(figures[1]), at most \(figures[2])")
    return failures
  }

  // MARK: Those who have a right

  /// Returns the status of an answer.
  private func answer(_ address: SocketAddress, _ request: String, _ fields: String...) throws -> Int {
    // A WebSocket would stay open.
    let isUpgrade = fields.contains(Self.upgrade)
    let client = try BlockingClient(address)
    client.wait(seconds: Self.secondsMax)
    let lines =
      ["\(request) HTTP/1.1", "Host: localhost"] + fields + (isUpgrade ? [] : ["Connection: close"]) + ["", ""]
    client.write(Array(lines.joined(separator: "\r\n").utf8))
    let words = String(decoding: client.readBytes() ?? [], as: UTF8.self).split(separator: " ", maxSplits: 2)
    return words.count > 1 ? Int(words[1]) ?? 0 : 0
  }

  private func joins(_ address: SocketAddress) throws -> Bool {
    let client = try BlockingClient(address)
    client.wait(seconds: Self.secondsMax)
    client.send(.hello(Hello(table: "honest", tableType: "list?items=3", name: "honest", role: .spectator)))
    guard case .welcome? = try client.next() else { return false }
    return true
  }
}
