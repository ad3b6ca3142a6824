#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// A descriptor that another thread makes readable, to get a loop out of its wait. Made before the loop's thread, it
/// can be handed to every mailbox that the loop is to look after.
///
/// An eventfd on Linux, a pipe on Darwin.
public final class Waker: Sendable {
  let readingEnd: Int32
  private let writingEnd: Int32

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

  /// Ends the loop's wait, now or the next one. Any thread may call it.
  public func wake() {
    var one: UInt64 = 1
    #if canImport(Darwin)
      let bytes = 1
    #else
      let bytes = MemoryLayout<UInt64>.size
    #endif
    // "Would block" means that a full pipe of wake-ups waits already; no other error is left for a descriptor of ours.
    _ = try? SystemCall.attempt("write") { write(writingEnd, &one, bytes) }
  }

  /// Waits until somebody wakes, and takes the wake-ups back: for a thread that has no loop.
  ///
  /// - Parameter nanoseconds: How long at most, rounded up to milliseconds; `nil` for as long as it takes.
  public func wait(nanoseconds: UInt64? = nil) {
    var watched = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
    let milliseconds = nanoseconds.map { Int32(clamping: $0 / 1_000_000 + ($0 % 1_000_000 == 0 ? 0 : 1)) } ?? -1
    // No error is left for one descriptor of ours.
    _ = try? SystemCall.attempt("poll") { poll(&watched, 1, milliseconds) }
    clear()
  }

  /// Takes the wake-ups back, so that the descriptor is quiet until the next.
  ///
  /// - Returns: how many there were; on Darwin at most 64.
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
