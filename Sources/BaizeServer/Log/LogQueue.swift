import BaizeSystem
import BaizeTable
import Dispatch
import Synchronization

/// A bounded queue of log lines that one thread writes: a pipe that nobody reads stops that thread, and no other.
///
/// A line that the queue has no room for is dropped and counted. The count is written once the pipe is read again.
final class LogQueue: Sendable {
  /// The queue of standard error, which is written out when the program exits.
  static let standardError: LogQueue = {
    atexit { LogQueue.standardError.flush() }
    return LogQueue { StandardStream.error.put($0) }
  }()

  private struct State {
    var lines: [String] = []
    /// The size of the lines that are not written yet, including those that are being written.
    var bytes = 0
    var dropped = 0
    /// The format of the line about dropped ones.
    var format = Log.Format.text
    var isWriting = false
  }

  private let state = Mutex(State())
  private let bytesMax: Int
  private let write: @Sendable (String) -> Void
  private let thread = DispatchQueue(label: "baize.log", qos: .utility)

  /// Creates a queue.
  ///
  /// - Parameters:
  ///   - bytesMax: The maximum size of the lines that are not written yet.
  ///   - write: Writes a line. It may block.
  init(bytesMax: Int = ServerLimits.logQueueBytesMax, write: @escaping @Sendable (String) -> Void) {
    self.bytesMax = bytesMax
    self.write = write
  }

  /// Adds a line, or counts it as dropped. Never blocks.
  func add(_ line: String, _ format: Log.Format) {
    let begins = state.withLock { state in
      state.format = format
      guard state.bytes + line.utf8.count <= bytesMax else {
        state.dropped += 1
        return false
      }
      state.lines.append(line)
      state.bytes += line.utf8.count
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { thread.async { self.writeAll() } }
  }

  /// Waits until everything that was added before is written, but not longer than `ServerLimits.logFlushMilliseconds`.
  func flush() {
    let isWritten = DispatchSemaphore(value: 0)
    thread.async { isWritten.signal() }
    _ = isWritten.wait(timeout: .now() + .milliseconds(ServerLimits.logFlushMilliseconds))
  }

  private func writeAll() {
    while let (lines, dropped, format) = take() {
      for line in lines {
        write(line)
        state.withLock { $0.bytes -= line.utf8.count }
      }
      if dropped > 0 {
        write(format.line(.warning, "\(dropped) lines of the log were dropped, since it was not read fast enough"))
      }
    }
  }

  /// Takes the waiting lines and the number of those that were dropped behind them; `nil` if there are none, so that the next
  /// line begins writing again.
  private func take() -> (lines: [String], dropped: Int, format: Log.Format)? {
    state.withLock { state in
      guard !state.lines.isEmpty || state.dropped > 0 else {
        state.isWriting = false
        return nil
      }
      defer { (state.lines, state.dropped) = ([], 0) }
      return (state.lines, state.dropped, state.format)
    }
  }
}
