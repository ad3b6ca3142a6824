import BaizeSync
public import BaizeTransport
import Dispatch
import Synchronization

/// One thread that carries many clients. The only door is its mailbox; what comes in by it runs on the thread.
///
/// Apps need not think of it: ``TableClient/join(_:_:on:patience:)`` uses ``shared()``.
public final class ClientLoop: Sendable {
  private let mailbox: Mailbox<HostMessage>
  private let thread: LoopThread
  /// Whether the loop takes no one any more. Held while something is sent, so that nothing is sent to no one.
  private let isClosed: Mutex<Bool>

  /// Makes a loop and starts its thread.
  ///
  /// - Parameter name: as shown by `top -H`; only the first 15 bytes count.
  /// - Throws: `SystemError` when there are no descriptors, or no room for another thread.
  public init(name: String = "baize-client", selector: SelectorKind = .platformDefault) throws {
    let waker = try Waker()
    let mailbox = Mailbox<HostMessage>(waker: waker)
    self.mailbox = mailbox
    isClosed = Mutex(false)
    let handover = Mutex<ClientHost?>(
      try ClientHost(
        selector: selector, waker: waker, mailbox: mailbox, types: TableTypeDocuments.shared, random: .system))
    thread = try LoopThread(name: name) {
      let host = handover.withLock { $0.take() }
      guard let host else { return }
      do {
        try host.run()
      } catch {
        preconditionFailure("the client's selector failed: \(error)")
      }
    }
  }

  private static let sharedLoop = Result { try ClientLoop() }

  /// The loop of whoever brings none; it lives as long as the process.
  ///
  /// - Throws: `SystemError` when there were no descriptors for it.
  public static func shared() throws -> ClientLoop { try sharedLoop.get() }

  /// Runs `body` on the loop's thread: the way in for programs that want to live there.
  public func run(_ body: @escaping @Sendable (ClientHost) -> Void) { _ = send(.run(body)) }

  /// All clients leave their tables, and the thread ends; waits for that, two seconds or so at most. Not to be called on
  /// the loop's own thread. A second call returns when the first does, or before.
  public func stop() {
    close()
    thread.join()
  }

  /// - Returns: whether there is anyone to hear it.
  func send(_ message: HostMessage) -> Bool {
    isClosed.withLock { isClosed in
      if isClosed { return false }
      mailbox.send(message)
      return true
    }
  }

  private func close() {
    isClosed.withLock { isClosed in
      if !isClosed { mailbox.send(.stop) }
      isClosed = true
    }
  }

  deinit {
    close()
    // A thread must be waited for, and this may be that very thread.
    let thread = thread
    DispatchQueue.global().async { thread.join() }
  }
}
