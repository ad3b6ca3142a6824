import Foundation
import Synchronization

/// Kills the child processes that this program leaves behind, however it ends.
///
/// Foundation starts each child in a process group of its own, so that an interrupt of this program does not reach it. A shell
/// beside this program keeps the ids of its children, and reads a pipe to which only this program writes: at its end, the shell
/// kills those that still run.
final class OrphanGuard: Sendable {
  private static let shared = Result { try OrphanGuard() }
  private static let script = """
    running=
    while read -r event process; do
      case $event in
        started) running="$running $process " ;;
        ended) running="${running%% $process *} ${running#* $process }" ;;
      esac
    done
    [ -z "${running# }" ] || kill -KILL $running
    """

  private let input: Mutex<FileHandle>

  private init() throws {
    let pipe = Pipe()
    // A child that had it, too, would keep the pipe open.
    _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Self.script]
    shell.standardInput = pipe
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try shell.run()
    input = Mutex(pipe.fileHandleForWriting)
  }

  /// Starts a process, which will be killed if this program ends before it.
  ///
  /// - Parameter withSignalsBlocked: Whether it starts with the signals blocked that stop or reload a program.
  static func run(_ process: Process, withSignalsBlocked: Bool = false) throws {
    let guardian = try shared.get()
    process.terminationHandler = { ended in
      guardian.input.withLock { $0.write(Data("ended \(ended.processIdentifier)\n".utf8)) }
    }
    // The end of the process waits for the lock, so that its start is written first.
    try guardian.input.withLock { input in
      try withSignalsBlocked ? blockingSignals(process.run) : process.run()
      input.write(Data("started \(process.processIdentifier)\n".utf8))
    }
  }

  /// Calls `body` with the signals blocked in this thread: a process that it starts inherits that.
  private static func blockingSignals(_ body: () throws -> Void) rethrows {
    var (signals, original) = (sigset_t(), sigset_t())
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, &original)
    defer { pthread_sigmask(SIG_SETMASK, &original, nil) }
    try body()
  }
}
