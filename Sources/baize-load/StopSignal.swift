import BaizeCommandLine
import BaizeTransport
import Synchronization

/// The operator's request that a run ends early: SIGTERM or SIGINT.
final class StopSignal: Sendable {
  private let requested = Atomic(false)

  var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Runs `body` to the end of the program on a thread of its own, while the main one waits for signals: the first is the
  /// request, a second does not wait for it.
  static func run(_ name: String, _ body: @escaping @Sendable (StopSignal) throws -> ExitCode) -> Never {
    let stop = StopSignal()
    do {
      // Before there is another thread: threads inherit the signal mask.
      let signals = try SignalWatch()
      _ = try LoopThread(name: "load") {
        do { Console.end(try body(stop)) } catch { Console.refuse(name, "\(error)") }
      }
      _ = try signals.wait()
      stop.requested.store(true, ordering: .relaxed)
      _ = try signals.wait()
    } catch {
      Console.printError("\(name): \(error)")
    }
    Console.end(.failure)
  }
}
