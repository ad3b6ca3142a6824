import BaizeCommandLine
import BaizeTransport
import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// The program's threads: one carries all bots, the main one waits for signals.
enum BotProcess {
  static func run(_ options: BotOptions) -> Never {
    let wish = StopWish()
    do {
      // Before there is another thread: threads inherit which signals wait.
      let signals = try SignalWatch()
      _ = try LoopThread(name: "bots") { end(play(options, until: wish)) }
      _ = try signals.wait()
      wish.make()
      _ = try signals.wait()
    } catch {
      Console.complain("baize-bot: \(error)")
    }
    end(.failed)
  }

  private static func play(_ options: BotOptions, until wish: StopWish) -> BotExit {
    do {
      return try BotSession(options).run(until: wish)
    } catch {
      Console.complain("baize-bot: \(error)")
      return .failed
    }
  }

  private static func end(_ code: BotExit) -> Never { exit(code.rawValue) }
}

/// How a run ended, for whoever started it.
enum BotExit: Int32 {
  case success = 0
  case failed = 1
  case misused = 2
  /// No bot has anything left to do, and the game is not won.
  case stuck = 3
}

/// The operator's wish that the run ends.
final class StopWish: Sendable {
  private let isWished = Atomic(false)

  var isMade: Bool { isWished.load(ordering: .relaxed) }
  func make() { isWished.store(true, ordering: .relaxed) }
}
