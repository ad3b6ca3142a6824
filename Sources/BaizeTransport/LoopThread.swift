import BaizeSystem
import Synchronization

/// A named thread, of a shard or a journal writer. Whatever it owns is made within `body` and needs no lock.
public final class LoopThread: Sendable {
  /// The bits of the `pthread_t`, which is a pointer on Darwin and so not `Sendable`; `nil` after `join`.
  private let handle: Mutex<UInt?>

  /// Starts a thread that runs `body`.
  ///
  /// - Parameter name: The name that `top -H` shows, cut to 15 bytes.
  /// - Throws: `SystemError` when the system cannot start another thread.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws {
    let start = Unmanaged.passRetained(ThreadStart(name: name, body: body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    do {
      try SystemCall.requireZero("pthread_create") {
        pthread_create(&thread, nil, { threadMain($0) }, start.toOpaque())
      }
    } catch {
      start.release()
      throw error
    }
    #if canImport(Darwin)
      handle = Mutex(UInt(bitPattern: thread))
    #else
      handle = Mutex(UInt(thread))
    #endif
  }

  /// Has the present thread give way to others: its nice value is 10. Does nothing where the system does not allow it, or
  /// has no nice value for a thread.
  public static func yieldToOthers() {
    #if !canImport(Darwin)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
  }

  /// Waits until `body` has returned. A second call returns at once.
  public func join() {
    let taken = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    guard let taken else { return }
    #if canImport(Darwin)
      if let thread = pthread_t(bitPattern: taken) { pthread_join(thread, nil) }
    #else
      pthread_join(pthread_t(taken), nil)
    #endif
  }
}

/// A new thread's name and body, passed through `pthread_create`.
private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = String(decoding: name.utf8.prefix(TransportLimits.threadNameBytesMax), as: UTF8.self)
    self.body = body
  }

  func run() {
    #if canImport(Darwin)
      _ = pthread_setname_np(name)
    #else
      _ = baize_set_thread_name(pthread_self(), name)
    #endif
    body()
  }
}

private func threadMain(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
