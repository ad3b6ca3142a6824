public import BaizeSync
public import BaizeTable
public import BaizeWire
public import Observation

/// A table for a user interface: an observable copy of the visible state on the main actor.
///
/// The model follows the client's events and applies the fewest changes between two states. Its own operations show
/// before the call returns. A refused operation is rolled back, and ``lastRefusal`` says why.
///
/// ```swift
/// let model = try await TableModel.join("127.0.0.1:7777", ClientConfiguration(table: "sprint"))
/// ForEach(model.collections) { column in
///   ForEach(column.items) { CardView($0) }
/// }
/// ```
///
/// - Complexity: A change costs O(n) in the collections it touches. For lists beyond some hundred thousand items, read
///   ranges with ``TableClient/items(in:_:)`` instead.
@MainActor @Observable
public final class TableModel {
  /// The client of the table.
  public nonisolated let client: TableClient
  /// The collections in the order of the table type, then those that items open, in the order in which they were opened.
  public internal(set) var collections: [CollectionModel]
  /// The state of the connection to the daemon.
  public internal(set) var connection: ConnectionState
  /// The occupied seats, with their participants' names and whether they are connected.
  public internal(set) var seats: [Seat] = []
  /// The drags of other participants.
  public internal(set) var drags: [Drag] = []
  /// The other participants' own values of presence, by session; see ``TableClient/setPresence(_:)``.
  public internal(set) var presence: [SessionID: [UInt8]] = [:]
  /// The last 200 messages to the table since the model was created; see ``TableClient/say(_:kind:)``.
  public internal(set) var chats: [Chat] = []
  /// The time at which the time of the turn will be up; `nil` while none runs. Show it with `Text(timerInterval:)` or the like.
  public internal(set) var turnEnd: ContinuousClock.Instant?
  /// The time at which the time of the table will be up; `nil` while none runs.
  public internal(set) var tableEnd: ContinuousClock.Instant?
  /// Who watches: how many people, and who of them asks for a seat.
  public internal(set) var watching = Watching()
  /// The table's status: `open`, or the result with which the game ended.
  public internal(set) var status = TableState.open
  /// The table type's variables, which its rules read.
  public internal(set) var variables: [Attribute] = []
  /// This participant's seat; `SeatNumber.spectator` if it has none.
  public internal(set) var seat = SeatNumber.spectator
  /// Whether this participant is the table's host, who may perform a `HostAction`.
  public internal(set) var isHost = false
  /// Whether this participant may act: for `reorderContainer(for:in:isEnabled:move:)`. It is `false` for spectators, at a
  /// table that has ended, and while all collections are disabled.
  public internal(set) var isEnabled = false
  /// The reason of the last refusal, by the local rules or by the daemon. Set it to `nil` once it is shown.
  public var lastRefusal: Refusal?

  /// A closure that the model calls for each operation that can be undone, to register it with an `UndoManager`.
  @ObservationIgnored public var undoRegistration: (@MainActor () -> Void)?

  var history = UndoHistory()
  /// The ends that ``turnEnd`` and ``tableEnd`` show, by the client's clock.
  @ObservationIgnored var ends: [Instant?] = [nil, nil]
  /// The items of this participant's drag, while the others see it.
  @ObservationIgnored var draggedItems: [ItemID] = []
  @ObservationIgnored private var byID: [String: CollectionModel]
  /// The index of each collection in ``collections``.
  @ObservationIgnored var collectionIndices: [CollectionHandle: Int]
  @ObservationIgnored let subscription: Subscription
  @ObservationIgnored private var following: EndingTask?

  /// Creates a model of a table that the client has joined.
  ///
  /// - Parameter client: The client, which the model retains.
  public init(_ client: TableClient) {
    self.client = client
    collections = []
    byID = [:]
    collectionIndices = [:]
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

  /// Joins a table and creates a model of it; see ``TableClient/join(_:_:store:on:timeout:)-(String,_,_,_,_)``.
  public static func join(
    _ address: String, _ configuration: ClientConfiguration, store: (any SessionStore)? = nil,
    on loop: ClientLoop? = nil, timeout: Duration = .seconds(10)
  ) async throws -> TableModel {
    TableModel(try await TableClient.join(address, configuration, store: store, on: loop, timeout: timeout))
  }

  /// Takes over the collections that the table has now. Those that it had are the same objects.
  func update(_ known: [ModelUpdate.Known]) {
    guard known.map(\.handle) != collections.map(\.handle) || known.map(\.item) != collections.map(\.item) else {
      return
    }
    collections = known.map { known in
      guard let model = byID[known.id], model.handle == known.handle, model.item == known.item else {
        return CollectionModel(id: known.id, handle: known.handle, openedBy: known.item, known.kind)
      }
      return model
    }
    byID = Dictionary(collections.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    collectionIndices = Dictionary(uniqueKeysWithValues: collections.enumerated().map { ($1.handle, $0) })
  }

  /// Returns the collection that an item opens; `nil` if it opens none.
  public func collection(openedBy item: ItemID) -> CollectionModel? { collections.first { $0.item == item } }

  /// Returns the items of a collection, such as `model["pile/3"]`; empty if the table has no such collection.
  public subscript(collection: String) -> [Item] { byID[collection]?.items ?? [] }

  /// Returns a collection, to observe it by itself; `nil` if the table has no such collection.
  public func collection(_ id: String) -> CollectionModel? { byID[id] }
}

/// A task that is cancelled when its owner is released.
private final class EndingTask: Sendable {
  private let task: Task<Void, Never>

  init(_ task: Task<Void, Never>) { self.task = task }

  deinit { task.cancel() }
}
