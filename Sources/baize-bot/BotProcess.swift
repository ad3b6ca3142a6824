import BaizeCommandLine
import BaizeSystem
import BaizeTransport

/// Runs the bots on one thread, while the main thread waits for signals.
enum BotProcess {
  static func run(_ options: BotOptions, _ signals: SignalWatch) -> Never {
    do {
      try StopRequest.run(signals, thread: "bots") { request in
        do { end(try BotSession(options).run(until: request)) } catch { fail(error) }
      }
      end(.failed)
    } catch {
      fail(error)
    }
  }

  private static func fail(_ error: any Error) -> Never {
    Console.printError("baize-bot: \(error)")
    end(.failed)
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
