import BaizeCommandLine
import BaizeServer
import BaizeTransport
import Synchronization

/// The operator's wish that the program ends: SIGTERM or SIGINT.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var action: (@Sendable () -> Void)?
  }

  private let state = Mutex(State())

  var isMade: Bool { state.withLock { $0.isMade } }

  /// What to do when the wish comes; at once if it is there already.
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

  /// Runs `body` to the end of the program, and takes signals meanwhile: the first asks for a clean stop, a second does
  /// not wait for it.
  ///
  /// The main thread itself waits for them. Were it to await `body`, it would sit in `dispatch_main`, which on Linux lets
  /// every signal through, and SIGTERM would end the program on the spot.
  static func run(_ log: Log, _ body: @escaping @Sendable (StopRequest) async -> ExitCode) -> Never {
    do {
      // Before there is another thread: threads inherit which signals wait.
      let signals = try SignalWatch()
      let request = StopRequest()
      Task.detached { Console.end(await body(request)) }
      let first = try signals.wait()
      log(.info, "\(first): stopping")
      request.make()
      let second = try signals.wait()
      log(.warning, "\(second): stopping at once")
    } catch {
      log(.error, "signals are not heard: \(error)")
    }
    Console.end(.failure)
  }
}
