import BaizeSync
import BaizeTableTypes
public import BaizeTransport
import Dispatch
import Synchronization

/// A thread that runs a ``ClientHost`` with any number of clients.
///
/// Most apps never create one: ``TableClient/join(_:_:store:on:timeout:)-(String,_,_,_,_)`` uses ``shared()``. Other threads reach the host only
/// through a mailbox.
public final class ClientLoop: Sendable {
  private let mailbox: Mailbox<HostMessage>
  private let thread: LoopThread
  /// Whether the loop has stopped. The lock is held while a message is sent, so none is sent to a stopped loop.
  private let isClosed: Mutex<Bool>

  /// Creates a loop and starts its thread.
  ///
  /// - Parameters:
  ///   - name: The thread's name, as shown by `top -H`; at most 15 bytes are used.
  ///   - selector: The system interface that the event loop waits on.
  /// - Throws: `SystemError` if the system has no descriptors or no memory for a thread left.
  public init(name: String = "baize-client", selector: SelectorKind = .platformDefault) throws {
    let waker = try Waker()
    let mailbox = Mailbox<HostMessage>(waker: waker)
    self.mailbox = mailbox
    isClosed = Mutex(false)
    let handover = Mutex<ClientHost?>(
      try ClientHost(
        selector: selector, waker: waker, mailbox: mailbox, types: TableTypeCompiler.shared, random: .system))
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

  /// Returns the process-wide loop. The first call creates it.
  ///
  /// - Throws: `SystemError` if the loop could not be created.
  public static func shared() throws -> ClientLoop { try sharedLoop.get() }

  /// Runs `body` on the loop's thread, where it may use the host and its clients.
  ///
  /// - Parameter body: The work. It is dropped if the loop has stopped.
  public func run(_ body: @escaping @Sendable (ClientHost) -> Void) { _ = send(.run(body)) }

  /// Makes all clients leave their tables and ends the thread; waits for both, some two seconds at most.
  ///
  /// Do not call it on the loop's own thread. A second call may return before the first.
  public func stop() {
    close()
    thread.join()
  }

  /// - Returns: Whether the loop still runs.
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
    // `join` blocks, and this deinit may run on the thread itself.
    let thread = thread
    DispatchQueue.global().async { thread.join() }
  }
}
