import Synchronization

/// The operator's request that a program stops: SIGTERM or SIGINT.
public final class StopRequest: Sendable {
  private let flag = Atomic(false)

  public var isMade: Bool { flag.load(ordering: .relaxed) }

  /// Runs `body` on a thread of its own, which ends the program, while this one waits for signals: the first makes the
  /// request. Returns at the second, which does not wait for the body.
  ///
  /// - Parameters:
  ///   - signals: The receiver of the signals, made first of all: one that comes earlier ends the program at once.
  ///   - name: The thread's name.
  ///   - body: The program.
  /// - Throws: `SystemError` when there cannot be another thread, or signals cannot be awaited.
  public static func run(
    _ signals: SignalWatch, thread name: String, _ body: @escaping @Sendable (StopRequest) -> Never
  ) throws {
    let request = StopRequest()
    _ = try LoopThread(name: name) { body(request) }
    _ = try signals.wait()
    request.flag.store(true, ordering: .relaxed)
    _ = try signals.wait()
  }
}
