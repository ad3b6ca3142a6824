public import BaizeSync

/// What happens at a client's table, in order, from now on. Each loop over it has a feed of its own.
///
/// The first element is `.changed([.reloaded])`: read the table then, and nothing is missed. The same comes, in place of
/// all that waited, when a loop falls behind by more than it was given room for: a slow reader costs a bounded amount of
/// memory, and reads everything anew. The last element is `.ended`.
public struct TableEvents: AsyncSequence, Sendable {
  public typealias Element = ClientEvent
  public typealias Failure = Never

  let client: SharedClient
  let weightMax: Int

  public func makeAsyncIterator() -> Iterator { Iterator(Subscription(client, weightMax: weightMax)) }

  /// One reader's place in the stream. When its task is cancelled the stream ends for it.
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

/// A feed for as long as someone holds it.
final class Subscription: Sendable {
  private let client: SharedClient
  private let feed: UInt64

  init(_ client: SharedClient, weightMax: Int) {
    self.client = client
    feed = client.addFeed(weightMax: weightMax)
  }

  /// What waits, and what `body` makes of it and of the state that it leads to; `nil` at the end.
  func take<Value: Sendable>(reading body: ([ClientEvent], borrowing ClientCore) -> Value) -> Value? {
    client.take(feed, reading: body)
  }

  /// Waits until there may be something to take.
  func wait() async { await client.waitForEvents(in: feed) }

  deinit { client.removeFeed(feed) }
}
