public import BaizeSync
import BaizeTable
import BaizeTableTypes
import BaizeTransport
import BaizeWire
import Dispatch

/// A client of one shared table.
///
/// Operations change the visible state at once; the daemon's answer arrives as the outcome of the submission. Reads,
/// operations and hover verdicts use the local replica and may be called on any thread. Only joining, outcomes, events and
/// ``leave()`` wait for the network. Releasing the last reference leaves the table, or closes the client if it has a session
/// store.
///
/// ```swift
/// let board = ClientConfiguration(table: "sprint", tableType: "kanban?columns=fixed&cards=5", name: "tablet")
/// let client = try await TableClient.join("127.0.0.1:7777", board)
/// if let card = client.itemIDs(in: "todo").first, let doing = client.handle(of: "doing") {
///   let submission = client.reorder(ReorderDifference(sources: [card], destination: .end(of: doing)))
///   if case .refused(let refusal) = try await submission.outcome { print(refusal.detail) }
/// }
/// for await changes in client.changes { print(changes) }
/// ```
public final class TableClient: Sendable {
  let shared: SharedClient

  init(_ shared: SharedClient) { self.shared = shared }

  // MARK: Joining and leaving

  /// Joins a table over TCP. Creates the table if the configuration names a type and the table does not exist.
  ///
  /// - Parameters:
  ///   - address: The daemon's address, `HOST:PORT`.
  ///   - configuration: The table, the participant's name and role, and the options of the session.
  ///   - store: The store for the session. If it has one for this address and table, the client resumes it, in its seat,
  ///     and sends the operations that an earlier process left without an answer. `nil` keeps nothing.
  ///   - loop: The loop that runs the connection; ``ClientLoop/shared()`` by default.
  ///   - timeout: The time to keep retrying while no daemon answers.
  /// - Returns: The client, once it has received the whole table.
  /// - Throws: ``JoinError``, or `CancellationError` if the task is cancelled; in both cases the table is left, or the store
  ///   stays as it is.
  public static func join(
    _ address: String, _ configuration: ClientConfiguration, store: (any SessionStore)? = nil,
    on loop: ClientLoop? = nil, timeout: Duration = .seconds(10)
  ) async throws -> TableClient {
    let key = SessionKey(address: address, table: configuration.table)
    return try await join(resolve(address), configuration, open(store, key), on: loop, timeout: timeout)
  }

  /// Joins a table over TCP or another byte stream.
  ///
  /// - Parameters:
  ///   - endpoint: The daemon's endpoint.
  ///   - configuration: The table, the participant's name and role, and the options of the session.
  ///   - store: The store for the session; see ``join(_:_:store:on:timeout:)-(String,_,_,_,_)``.
  ///   - loop: The loop that runs the connection; ``ClientLoop/shared()`` by default.
  ///   - timeout: The time to keep retrying while no daemon answers.
  /// - Returns: The client, once it has received the whole table.
  /// - Throws: ``JoinError``, or `CancellationError` if the task is cancelled; in both cases the table is left, or the store
  ///   stays as it is.
  public static func join(
    _ endpoint: Endpoint, _ configuration: ClientConfiguration, store: (any SessionStore)? = nil,
    on loop: ClientLoop? = nil, timeout: Duration = .seconds(10)
  ) async throws -> TableClient {
    let key = SessionKey(address: "\(endpoint)", table: configuration.table)
    return try await join(endpoint, configuration, open(store, key), on: loop, timeout: timeout)
  }

  private static func join(
    _ endpoint: Endpoint, _ configuration: ClientConfiguration, _ stored: (StoredSession, ClientRecord)?,
    on loop: ClientLoop?, timeout: Duration
  ) async throws -> TableClient {
    let hello = configuration.hello
    if let field = hello.overlongField { throw JoinError.tooLong(field, bytes: field.length(in: hello)) }
    let loop = try loop ?? sharedLoop()
    let machine = ClientMachine(
      configuration: configuration, types: TableTypeCompiler.shared, random: .system, record: stored?.1,
      hellosFrom: WallClock.milliseconds())
    let shared = SharedClient(
      machine, joinDeadline: Instant.now.advanced(byMilliseconds: timeout.wholeMilliseconds), loop: loop,
      stored: stored?.0)
    guard loop.send(.add(shared, endpoint)) else { throw JoinError.loopUnavailable("it has been stopped") }
    // From here on the client's deinit leaves the table or closes the client, also when the task is cancelled.
    let client = TableClient(shared)
    do {
      try await shared.joined.value().get()
    } catch {
      // So that the next attempt does not find the store in use.
      shared.close()
      if stored != nil { await shared.removed.valueDespiteCancellation() }
      throw error
    }
    return client
  }

  /// Leaves the table and frees the seat. All event sequences end, and a session store keeps only the outcomes.
  ///
  /// Returns once the goodbye is sent and the connection closed, or at once when the task is cancelled.
  public func leave() async {
    shared.leave()
    do {
      try await shared.removed.value()
    } catch {
      // The client leaves either way; a cancelled task only stops waiting.
    }
  }

  deinit { shared.close() }

  private static func sharedLoop() throws(JoinError) -> ClientLoop {
    do {
      return try ClientLoop.shared()
    } catch {
      throw .loopUnavailable("\(error)")
    }
  }

  /// Opens an entry of a store on a thread that may block.
  private static func open(
    _ store: (any SessionStore)?, _ key: SessionKey
  ) async throws -> (StoredSession, ClientRecord)? {
    guard let store else { return nil }
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { () throws(SessionStoreError) in try StoredSession.open(store, key) }
            .mapError { JoinError.sessionStore($0) })
      }
    }
  }

  /// Resolves an address on a thread that may block.
  private static func resolve(_ address: String) async throws -> Endpoint {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try Endpoint.tcp(parsing: address) }.mapError { JoinError.invalidAddress("\($0)") })
      }
    }
  }

  // MARK: Events

  /// The state of the connection to the daemon.
  public var connection: ConnectionState { shared.read { $0.connection } }

  /// The events of the table from now on, in order.
  ///
  /// Changes and drags name items as this client's reads do; diffs and answered operations by the daemon's ids
  /// (``tableID(of:)``).
  public var events: TableEvents { events(bufferedMax: ClientLimits.waitingEventsMax) }

  /// Returns the events of the table from now on, in order.
  ///
  /// - Parameter bufferedMax: The maximum number of events, counting each change in them, to queue for a slow reader.
  public func events(bufferedMax: Int) -> TableEvents {
    TableEvents(client: shared, weightMax: max(1, bufferedMax))
  }

  /// The changes to the visible state, own and others', in order; the first element is `[.reloaded]`.
  public var changes: some AsyncSequence<[TableChange], Never> & Sendable {
    events.compactMap { event in
      if case .changed(let changes) = event { changes } else { nil }
    }
  }
}

extension Duration {
  /// The duration rounded down to milliseconds; 0 if negative.
  fileprivate var wholeMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(clamping: min(seconds, 1 << 40)) * 1_000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
  }
}
