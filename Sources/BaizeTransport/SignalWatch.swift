import BaizeSystem

/// A receiver of the signals that stop the daemon, for a thread that waits for them: a signal handler may do hardly
/// anything.
///
/// Order: make it before any other thread starts, since threads inherit the blocked signals.
public struct SignalWatch: Sendable {
  /// A signal that stops the daemon.
  public enum Signal: Equatable, Sendable {
    /// SIGINT: Ctrl-C in a terminal.
    case interrupt
    /// SIGTERM: a service manager's request.
    case terminate
  }

  /// Blocks SIGINT and SIGTERM for this thread and those that it starts, and ignores SIGPIPE for the process: writing
  /// to a closed connection is an error of that write.
  ///
  /// - Throws: `SystemError` when the signals cannot be blocked.
  public init() throws {
    signal(SIGPIPE, SIG_IGN)
    var watched = Self.watchedSet()
    try SystemCall.requireZero("pthread_sigmask") { pthread_sigmask(SIG_BLOCK, &watched, nil) }
  }

  /// Waits for the next of the two signals.
  ///
  /// - Throws: `SystemError` when waiting fails.
  public func wait() throws -> Signal {
    var watched = Self.watchedSet()
    var number: Int32 = 0
    try SystemCall.requireZero("sigwait") { sigwait(&watched, &number) }
    return number == SIGINT ? .interrupt : .terminate
  }

  private static func watchedSet() -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }
}
