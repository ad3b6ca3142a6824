import BaizeTable
import BaizeTransport
import BaizeWire
import Synchronization
import TestSupport
import Testing

@testable import BaizeServer

/// Creating and reading tables in the background (I11).
@Suite(.hangGuard) struct TableWorkersTests {
  private static let large = ServerLimits.smallTableBytesMax + 1

  @Test func `small tables do not wait for large ones, of which one is at a time`() async throws {
    let workers = try TableWorkers()
    let log = Mutex<[String]>([])
    let isShut = Mutex(true)
    let running = Atomic(0)
    for number in 1...3 {
      workers.add(Self.large) {
        let others = running.add(1, ordering: .sequentiallyConsistent).oldValue
        while isShut.withLock({ $0 }) {}
        running.subtract(1, ordering: .sequentiallyConsistent)
        log.withLock { $0.append("large \(number), beside \(others)") }
      }
    }
    for number in 1...50 { workers.add(number) { log.withLock { $0.append("small \(number)") } } }
    #expect(try await eventually { log.withLock { $0.count } == 50 })
    #expect(log.withLock { $0.allSatisfy { $0.hasPrefix("small") } })
    isShut.withLock { $0 = false }
    #expect(try await eventually { log.withLock { $0.count } == 53 })
    #expect(log.withLock { $0.suffix(3) } == (1...3).map { "large \($0), beside 0" })
    workers.stop()
  }

  @Test func `only the table of a hello is read to choose a shard`() {
    let hello = ClientMessage.hello(Hello(table: "t", tableType: "list", name: "Ada")).encoded()
    let ping = ClientMessage.ping(Ping(nonce: 1)).encoded()
    func table(_ bytes: [UInt8]) -> String? { bytes.withUnsafeBytes { Hello.table(inFrame: $0) } }
    #expect(table(hello) == "t" && table(ping) == nil && table([]) == nil)
    #expect(table(ping + hello) == "t" && table(hello + ping) == nil, "the last one counts")
    let other = ClientMessage.hello(Hello(table: "u")).encoded()
    #expect(table(hello + other) == "u")
    for count in hello.indices { _ = table(Array(hello[..<count])) }
    let long = ClientMessage.hello(Hello(table: String(repeating: "x", count: 65))).encoded()
    #expect(table(long) == nil, "the machine answers")
    // Nothing else of it is decoded before anyone is admitted.
    let name = ClientMessage.hello(Hello(table: "t", name: String(repeating: "x", count: 65))).encoded()
    #expect(throws: DecodeError.self) { try ClientMessage(decoding: name) }
    #expect(table(name) == "t")
  }
}
