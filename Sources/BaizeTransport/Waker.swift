import BaizeSystem

/// A descriptor that another thread makes readable in order to wake a loop. It is made before the loop's thread, so
/// that it can be passed to every mailbox that the loop drains.
///
/// An eventfd on Linux, a pipe on Darwin.
public final class Waker: Sendable {
  let readingEnd: Int32
  private let writingEnd: Int32

  /// Opens the descriptor.
  ///
  /// - Throws: `SystemError` when there are no descriptors left.
  public init() throws {
    #if canImport(Darwin)
      var ends: [Int32] = [-1, -1]
      try SystemCall.require("pipe") { pipe(&ends) }
      readingEnd = ends[0]
      writingEnd = ends[1]
      for end in ends {
        try Socket.setNonBlocking(end)
        try SystemCall.require("fcntl") { fcntl(end, F_SETFD, FD_CLOEXEC) }
      }
    #else
      readingEnd = try SystemCall.require("eventfd") { eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }
      writingEnd = readingEnd
    #endif
  }

  /// Ends the loop's current or next wait. Any thread may call it.
  public func wake() {
    var one: UInt64 = 1
    #if canImport(Darwin)
      let bytes = 1
    #else
      let bytes = MemoryLayout<UInt64>.size
    #endif
    // "Would block" means that the pipe is full of wake-ups already; no other error is possible.
    _ = try? SystemCall.attempt("write") { write(writingEnd, &one, bytes) }
  }

  /// Waits for a wake-up and clears it, for a thread that has no loop.
  ///
  /// - Parameter nanoseconds: The timeout, rounded up to milliseconds; `nil` for none.
  public func wait(nanoseconds: UInt64? = nil) {
    var watched = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
    let milliseconds = nanoseconds.map { Int32(clamping: $0 / 1_000_000 + ($0 % 1_000_000 == 0 ? 0 : 1)) } ?? -1
    // No error is possible for a descriptor of our own.
    _ = try? SystemCall.attempt("poll") { poll(&watched, 1, milliseconds) }
    clear()
  }

  /// Clears the wake-ups, so that the descriptor is not readable until the next.
  ///
  /// - Returns: The number of wake-ups; on Darwin at most 64.
  @discardableResult
  func clear() -> Int {
    var counter: UInt64 = 0
    #if canImport(Darwin)
      var bytes = [UInt8](repeating: 0, count: 64)
      guard case .done(let count)? = try? SystemCall.attempt("read", { read(readingEnd, &bytes, 64) }) else { return 0 }
      counter = UInt64(count)
    #else
      let size = MemoryLayout<UInt64>.size
      guard case .done? = try? SystemCall.attempt("read", { read(readingEnd, &counter, size) }) else { return 0 }
    #endif
    return Int(clamping: counter)
  }

  deinit {
    SystemCall.closeDescriptor(readingEnd)
    if writingEnd != readingEnd { SystemCall.closeDescriptor(writingEnd) }
  }
}
