public import BaizeSync

/// The events of a client's table, in order. Each iteration has its own queue and starts with the present state.
///
/// The first element is `.changed([.reloaded])`: read the table then. When the reader falls behind by more than the
/// queue's limit, the same element replaces all queued events, so a slow reader costs bounded memory and reads the table
/// again. The last element is `.ended`.
///
/// ```swift
/// for await event in client.events {
///   switch event {
///   case .changed(let changes): redraw(changes)
///   case .disconnected: showSpinner()
///   default: break
///   }
/// }
/// ```
public struct TableEvents: AsyncSequence, Sendable {
  public typealias Element = ClientEvent
  public typealias Failure = Never

  let client: SharedClient
  let weightMax: Int

  public func makeAsyncIterator() -> Iterator { Iterator(Subscription(client, weightMax: weightMax)) }

  /// The iterator of ``TableEvents``. Cancelling its task ends the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    private let subscription: Subscription
    private var ready: ArraySlice<ClientEvent> = []

    init(_ subscription: Subscription) { self.subscription = subscription }

    public mutating func next() async -> ClientEvent? { await next(isolation: nil) }

    public mutating func next(isolation actor: isolated (any Actor)?) async -> ClientEvent? {
      while ready.isEmpty {
        guard !Task.isCancelled, let events = subscription.take(reading: { events, _ in events }) else { return nil }
        ready = events[...]
        if events.isEmpty { await subscription.wait() }
      }
      return ready.removeFirst()
    }
  }
}

/// A reader's feed, removed when the subscription is released.
final class Subscription: Sendable {
  private let client: SharedClient
  private let feed: UInt64

  init(_ client: SharedClient, weightMax: Int) {
    self.client = client
    feed = client.addFeed(weightMax: weightMax)
  }

  /// Takes the queued events, together with what `body` reads from the state that follows them; `nil` at the end.
  func take<Value: Sendable>(reading body: ([ClientEvent], borrowing ClientCore) -> Value) -> Value? {
    client.take(feed, reading: body)
  }

  /// Waits until events may be queued.
  func wait() async { await client.waitForEvents(in: feed) }

  deinit { client.removeFeed(feed) }
}
