#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// The signals that ask the daemon to stop, taken one at a time by the thread that waits for them, instead of in a
/// handler that may do next to nothing.
///
/// Order: make it before any other thread starts, since threads inherit what is blocked.
public struct SignalWatch: Sendable {
  public enum Signal: Equatable, Sendable {
    /// SIGINT: Ctrl-C in a terminal.
    case interrupt
    /// SIGTERM: a service manager's polite request.
    case terminate
  }

  /// Blocks SIGINT and SIGTERM for this thread and those it will start, and ignores SIGPIPE for the whole process: a
  /// peer that has gone is an error of one write.
  public init() throws {
    signal(SIGPIPE, SIG_IGN)
    var watched = Self.watchedSet()
    try SystemCall.requireZero("pthread_sigmask") { pthread_sigmask(SIG_BLOCK, &watched, nil) }
  }

  /// Waits for the next of the two.
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
