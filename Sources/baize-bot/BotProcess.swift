import BaizeCommandLine
import BaizeSystem
import BaizeTransport
import Synchronization

/// Runs the bots on one thread, while the main thread waits for signals.
enum BotProcess {
  static func run(_ options: BotOptions) -> Never {
    let request = StopRequest()
    do {
      // Before any other thread starts: threads inherit the mask of blocked signals.
      let signals = try SignalWatch()
      _ = try LoopThread(name: "bots") { end(play(options, until: request)) }
      _ = try signals.wait()
      request.make()
      _ = try signals.wait()
    } catch {
      Console.printError("baize-bot: \(error)")
    }
    end(.failed)
  }

  private static func play(_ options: BotOptions, until request: StopRequest) -> BotExit {
    do {
      return try BotSession(options).run(until: request)
    } catch {
      Console.printError("baize-bot: \(error)")
      return .failed
    }
  }

  private static func end(_ code: BotExit) -> Never { exit(code.rawValue) }
}

/// The exit code of a run.
enum BotExit: Int32 {
  case success = 0
  case failed = 1
  case misused = 2
  /// No bot has anything left to do, and the game is not won.
  case stuck = 3
}

/// The operator's request to stop.
final class StopRequest: Sendable {
  private let flag = Atomic(false)

  var isMade: Bool { flag.load(ordering: .relaxed) }
  func make() { flag.store(true, ordering: .relaxed) }
}
