import BaizeCommandLine
import BaizeTransport
import Synchronization

/// The operator's wish that a run ends early: SIGTERM or SIGINT.
final class StopWish: Sendable {
  private let isWished = Atomic(false)

  var isMade: Bool { isWished.load(ordering: .relaxed) }

  /// Runs `body` to the end of the program on a thread of its own, while the main one waits for signals: the first is the
  /// wish, a second does not wait for it.
  static func run(_ name: String, _ body: @escaping @Sendable (StopWish) throws -> ExitCode) -> Never {
    let wish = StopWish()
    do {
      // Before there is another thread: threads inherit which signals wait.
      let signals = try SignalWatch()
      _ = try LoopThread(name: "load") {
        do { Console.end(try body(wish)) } catch { Console.refuse(name, "\(error)") }
      }
      _ = try signals.wait()
      wish.isWished.store(true, ordering: .relaxed)
      _ = try signals.wait()
    } catch {
      Console.printError("\(name): \(error)")
    }
    Console.end(.failure)
  }
}
