import BaizeCommandLine
import BaizeServer
import BaizeTransport
import Synchronization

/// The operator's request to stop: SIGTERM or SIGINT, and what else ends a program that has taken over a terminal.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var isMade: Bool { state.withLock { $0.isMade } }

  /// Sets the action to run on the request. Runs it at once if the request has been made.
  func onRequest(_ action: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      state.action = action
      return state.isMade
    }
    if isMade { action() }
  }

  private func make() {
    let action = state.withLock { state in
      state.isMade = true
      return state.action
    }
    action?()
  }

  /// Runs `body` and ends the program with its exit code. The first signal requests a clean stop; a second one ends the
  /// program at once.
  ///
  /// The main thread waits for the signals itself. If it awaited `body` it would run `dispatch_main`, which on Linux
  /// unblocks all signals, so that SIGTERM would kill the program.
  ///
  /// - Parameters:
  ///   - signals: The receiver of the signals, made first of all.
  ///   - log: The log for the operator.
  ///   - others: What to do at signals that do not stop the program; it runs on the main thread.
  ///   - body: The program.
  static func run(
    _ signals: SignalWatch, _ log: Log, others: [SignalWatch.Signal: () -> Void] = [:],
    _ body: @escaping @Sendable (StopRequest) async -> ExitCode
  ) -> Never {
    do {
      let request = StopRequest()
      Task.detached { Console.end(await body(request)) }
      let first = try wait(signals, others)
      log(.info, "\(first): stopping")
      request.make()
      let second = try wait(signals, others)
      log(.warning, "\(second): stopping at once")
    } catch {
      log(.error, "cannot wait for signals: \(error)")
    }
    Console.end(.failure)
  }

  /// Returns the receiver of signals for ``run(_:_:others:_:)``, or ends the program with one line. Called first of all: a signal
  /// that comes earlier ends the program at once.
  static func watch(_ watched: [SignalWatch.Signal]) -> SignalWatch {
    do {
      return try SignalWatch(watched)
    } catch {
      Console.printError("baized: cannot watch signals: \(error)")
      Console.end(.failure)
    }
  }

  /// Waits for the next signal that stops the program.
  private static func wait(
    _ signals: SignalWatch, _ others: [SignalWatch.Signal: () -> Void]
  ) throws -> SignalWatch.Signal {
    while true {
      let signal = try signals.wait()
      guard let action = others[signal] else { return signal }
      action()
    }
  }
}
