import BaizeTable
import BaizeWire
import Foundation
import Testing

/// The cost of the codec:
///
///     BAIZE_FIGURES=1 swift test -c release --filter WireFigures
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["BAIZE_FIGURES"] != nil))
struct WireFigures {
  @Test(arguments: [
    "client.operation.reorder.one", "client.operation.reorder.many", "client.operation.insert", "client.drag.full",
    "server.diff.moved", "server.diff.moved.far", "server.snapshot.full",
  ])
  func `decoding`(_ name: String) throws {
    let vector = try #require(Vector.all.first { $0.name == name })
    vector.bytes.withUnsafeBytes { bytes in
      let isClient = vector.direction == "client"
      let nanoseconds = Self.best { rounds in
        for _ in 0..<rounds {
          if isClient { keep(try? ClientMessage(decoding: bytes)) } else { keep(try? ServerMessage(decoding: bytes)) }
        }
      }
      print("decode \(name), \(bytes.count) bytes: \(nanoseconds) ns")
    }
  }

  @Test(arguments: ["server.diff.moved", "server.diff.moved.far", "server.diff.changes"])
  func `encoding for a viewer`(_ name: String) throws {
    guard case .diff(let diff) = try #require(Samples.server[name]) else { return }
    var writer = FrameWriter()
    let nanoseconds = Self.best { rounds in
      writer.removeAll()
      for _ in 0..<rounds { writer.frame(diff, for: .spectator, isAuthor: false) }
    }
    print("encode \(name): \(nanoseconds) ns")
  }

  /// Returns the nanoseconds of a round in the fastest of many short runs, which other work on the machine affects
  /// least.
  private static func best(_ run: (_ rounds: Int) -> Void) -> Double {
    let rounds = 2_000
    let clock = ContinuousClock()
    let shortest = (0..<500).map { _ in clock.measure { run(rounds) } }.min() ?? .zero
    return (shortest / .nanoseconds(rounds) * 10).rounded() / 10
  }

  @inline(never) private func keep<Value>(_ value: borrowing Value) {}
}
