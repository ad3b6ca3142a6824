import Synchronization

/// The queue between threads: any thread sends, the loop's own thread drains.
///
/// Messages are received in the order in which they were sent. The loop is woken when a message enters an empty
/// mailbox, and not again until it was drained, so the receiver must drain whenever it is woken.
public final class Mailbox<Message: Sendable>: Sendable {
  private let messages = Mutex<[Message]>([])
  private let waker: Waker

  /// - Parameter waker: The waker of the loop whose handler drains the mailbox. Several mailboxes may share one.
  public init(waker: Waker) {
    self.waker = waker
  }

  /// Adds a message. Any thread may call it.
  public func send(_ message: Message) {
    let wasEmpty = messages.withLock { messages in
      messages.append(message)
      return messages.count == 1
    }
    // Outside of the lock, which the woken thread needs.
    if wasEmpty { waker.wake() }
  }

  /// Moves all messages to the end of `drained`. If that is empty, the two arrays are swapped, so that both keep their
  /// storage.
  public func drain(into drained: inout [Message]) {
    messages.withLock { messages in
      if drained.isEmpty {
        swap(&messages, &drained)
      } else {
        drained.append(contentsOf: messages)
        messages.removeAll(keepingCapacity: true)
      }
    }
  }
}
