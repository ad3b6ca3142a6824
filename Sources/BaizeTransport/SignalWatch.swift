import BaizeSystem

/// A receiver of the signals that stop a program, for a thread that waits for them: a signal handler may do hardly
/// anything.
///
/// Order: make it first of all in the program, since a signal before it has its default effect, and before any other thread starts,
/// since threads inherit the blocked signals.
public struct SignalWatch: Sendable {
  /// A signal that stops a program.
  public enum Signal: Equatable, CaseIterable, Sendable {
    /// SIGINT: Ctrl-C in a terminal.
    case interrupt
    /// SIGTERM: a service manager's request.
    case terminate
    /// SIGHUP: the terminal is gone.
    case hangUp
    /// SIGQUIT: Ctrl-\ in a terminal.
    case quit
    /// SIGTSTP: Ctrl-Z in a terminal, which suspends the program.
    case suspend

    fileprivate var number: Int32 {
      switch self {
      case .interrupt: SIGINT
      case .terminate: SIGTERM
      case .hangUp: SIGHUP
      case .quit: SIGQUIT
      case .suspend: SIGTSTP
      }
    }
  }

  private let watched: [Signal]

  /// Blocks some signals for this thread and those that it starts, and for the process ignores SIGPIPE, since writing to a closed
  /// connection is an error of that write, and SIGUSR1 and SIGUSR2, which end a program that does not expect them.
  ///
  /// - Parameter watched: The signals.
  /// - Throws: `SystemError` when the signals cannot be blocked.
  public init(_ watched: [Signal] = [.interrupt, .terminate]) throws {
    self.watched = watched
    for ignored in [SIGPIPE, SIGUSR1, SIGUSR2] { signal(ignored, SIG_IGN) }
    var set = set
    try SystemCall.requireZero("pthread_sigmask") { pthread_sigmask(SIG_BLOCK, &set, nil) }
  }

  /// Waits for the next of the signals.
  ///
  /// - Throws: `SystemError` when waiting fails.
  public func wait() throws -> Signal {
    var set = set
    var number: Int32 = 0
    try SystemCall.requireZero("sigwait") { sigwait(&set, &number) }
    return watched.first { $0.number == number } ?? .terminate
  }

  private var set: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in watched { sigaddset(&set, signal.number) }
    return set
  }
}
