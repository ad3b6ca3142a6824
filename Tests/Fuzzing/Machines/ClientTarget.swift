import BaizeSimulator
import BaizeSync
import BaizeTable
import BaizeWire

/// A client of a daemon that sends arbitrary frames: its visible state stays valid.
///
/// The input is the daemon's stream of frames. A frame that begins with a zero byte, which no message does, is something
/// that happens on the client's side.
enum ClientTarget {
  static func run(_ input: [UInt8]) -> Bool {
    var client = HostileDaemonsClient()
    let reader = FrameReader()
    var position = 0
    while let range = (try? reader.next(in: input, from: position)) ?? nil {
      let frame = input[range]
      if frame.first == 0 {
        var script = InputScript(frame.dropFirst())
        client.act(&script)
      } else {
        client.receive(frame)
      }
      position = range.upperBound
    }
    return client.finish()
  }
}

/// The client's real machine, connected whenever it requests it.
private struct HostileDaemonsClient {
  private var machine: ClientMachine
  private var now = Instant(nanoseconds: 1_000_000_000)
  private var wasLive = false

  init() {
    var configuration = ClientConfiguration(table: "t", tableType: "klondike")
    configuration.backoffMilliseconds = 0
    machine = ClientMachine(configuration: configuration, types: SimulatedTypes(), random: RandomSource(seed: 1))
    handle { $0.start(at: $1, into: &$2) }
  }

  mutating func receive(_ frame: ArraySlice<UInt8>) {
    handle { machine, now, effects in
      frame.withUnsafeBytes { machine.received($0, at: now, into: &effects) }
    }
    wasLive = wasLive || machine.isLive
  }

  mutating func act(_ script: inout InputScript) {
    switch script.below(8) {
    case 0: handle { $0.closed(at: $1, into: &$2) }
    case 1:
      now = now.advanced(byMilliseconds: script.pick([1, 1_000, 20_000, 90_000]))
      handle { $0.tick(at: $1, into: &$2) }
    default:
      guard let replica = machine.replica else { return }
      var knowledge = HostileKnowledge()
      knowledge.note(replica.state)
      knowledge.lastSequence = replica.pending.last?.operation.sequence ?? .zero
      let kind = script.kind(by: knowledge)
      let insists = script.happens(onceIn: 2)
      handle { _ = $0.submit(kind, sendsRefused: insists, at: $1, into: &$2) }
    }
  }

  private mutating func handle(_ body: (inout ClientMachine, Instant, inout [ClientEffect]) -> Void) {
    var effects: [ClientEffect] = []
    body(&machine, now, &effects)
    for effect in effects {
      if case .connect = effect {
        handle { $0.connected(at: $1, into: &$2) }
        // Frames of the new connection arrive at once.
        now = now.advanced(byMilliseconds: 1)
      }
    }
    if case .waiting = machine.phase {
      now = now.advanced(bySeconds: 10)
      handle { $0.tick(at: $1, into: &$2) }
    }
  }

  /// - Returns: Whether a table ever stood.
  func finish() -> Bool {
    let broken = machine.replica?.state.brokenInvariant()
    hold(broken == nil, "the client shows \(broken ?? "")")
    return wasLive
  }
}
