import Synchronization

#if canImport(Darwin)
  import Darwin
#else
  import CLinux
  import Glibc
#endif

/// A thread of our own with a name: a shard's, a journal writer's. What it owns is made inside of `body`, and so needs
/// no lock.
public final class LoopThread: Sendable {
  /// `nil` after `join`.
  private let handle: Mutex<pthread_t?>

  /// - Parameter name: as shown by `top -H`; only the first 15 bytes count.
  /// - Throws: `SystemError` when the system has no room for another thread.
  public init(name: String, _ body: @escaping @Sendable () -> Void) throws {
    let errand = Unmanaged.passRetained(Errand(name: name, body: body))
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    do {
      try SystemCall.requireZero("pthread_create") {
        pthread_create(&thread, nil, { threadMain($0) }, errand.toOpaque())
      }
    } catch {
      errand.release()
      throw error
    }
    handle = Mutex(thread)
  }

  /// Waits until `body` has returned. A second call returns at once.
  public func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}

/// What a new thread is given across the C edge.
private final class Errand: Sendable {
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
  if let context { Unmanaged<Errand>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
