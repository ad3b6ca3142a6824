public import BaizeSync
public import BaizeTable
public import BaizeWire
public import Observation

/// A table for a user interface: what it shows, on the main actor, observed.
///
/// It follows the client's events and applies the fewest changes that lead from one state to the next; what it is asked
/// for itself shows before the call returns. Refusals spring back by themselves, and the last one is kept for show. A
/// change costs O(n) in the collections that it touches: show a list of a hundred thousand items and more by ranges of
/// ``TableClient/items(in:_:)`` instead.
@MainActor @Observable
public final class TableModel {
  public nonisolated let client: TableClient
  /// In the table type's order.
  public let collections: [CollectionModel]
  public internal(set) var connection: ConnectionState
  public internal(set) var seats: [Seat] = []
  /// What others hold.
  public internal(set) var drags: [Drag] = []
  /// `open`, or how the game ended.
  public internal(set) var status = TableState.open
  /// The values that the table type's rules read besides items.
  public internal(set) var variables: [Attribute] = []
  /// Why the last operation that was refused was, here or by the daemon. Set it to `nil` when it was shown.
  public var lastRefusal: Refusal?

  @ObservationIgnored private let byID: [String: CollectionModel]
  /// Where a collection stands among all.
  @ObservationIgnored let places: [CollectionHandle: Int]
  @ObservationIgnored let subscription: Subscription
  @ObservationIgnored private var following: EndingTask?

  /// A model of a table that was joined.
  public init(_ client: TableClient) {
    self.client = client
    let collections = client.collections.map { CollectionModel(id: $0.id, handle: $0.handle) }
    self.collections = collections
    byID = Dictionary(uniqueKeysWithValues: collections.map { ($0.id, $0) })
    places = Dictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.handle, $0) })
    connection = client.connection
    let subscription = Subscription(client.shared, weightMax: ClientLimits.waitingEventsMax)
    self.subscription = subscription
    catchUp()
    following = EndingTask(
      Task { [weak self] in
        while !Task.isCancelled {
          await subscription.wait()
          guard self?.catchUp() == true else { return }
        }
      })
  }

  /// Joins a table and makes a model of it; see ``TableClient/join(_:_:on:patience:)``.
  public static func join(
    _ address: String, _ configuration: ClientConfiguration, on loop: ClientLoop? = nil,
    patience: Duration = .seconds(10)
  ) async throws -> TableModel {
    TableModel(try await TableClient.join(address, configuration, on: loop, patience: patience))
  }

  /// The items of a collection, such as `model["pile/3"]`; none where there is no such collection.
  public subscript(collection: String) -> [Item] { byID[collection]?.items ?? [] }

  /// A collection, to be observed for itself.
  public func collection(_ id: String) -> CollectionModel? { byID[id] }
}

/// A task that ends with whoever holds it.
private final class EndingTask: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}
