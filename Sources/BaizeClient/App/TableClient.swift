public import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire
import Dispatch

/// An app's side of one shared table.
///
/// What the app asks for shows at once and is sent to the daemon, whose answer comes as the outcome of the submission.
/// Reading, asking and hovering are answered here, from the local replica, on any thread; nothing but ``join(_:_:on:patience:)``,
/// outcomes, events and ``leave()`` waits for the network. When the last reference goes, the table is left.
public final class TableClient: Sendable {
  let shared: SharedClient

  init(_ shared: SharedClient) { self.shared = shared }

  // MARK: Joining and leaving

  /// Joins a table over TCP, and creates it if the configuration names a type.
  ///
  /// - Parameters:
  ///   - address: `HOST:PORT`.
  ///   - loop: Who carries the connection; ``ClientLoop/shared()`` unless given.
  ///   - patience: How long to go on trying while no daemon answers.
  /// - Returns: The client, once the whole table is here.
  /// - Throws: ``JoinError``, or `CancellationError` when the task is cancelled; the table is left then.
  public static func join(
    _ address: String, _ configuration: ClientConfiguration, on loop: ClientLoop? = nil,
    patience: Duration = .seconds(10)
  ) async throws -> TableClient {
    try await join(resolve(address), configuration, on: loop, patience: patience)
  }

  /// Joins a table over TCP or another byte stream.
  public static func join(
    _ endpoint: Endpoint, _ configuration: ClientConfiguration, on loop: ClientLoop? = nil,
    patience: Duration = .seconds(10)
  ) async throws -> TableClient {
    let loop = try loop ?? sharedLoop()
    let machine = ClientMachine(
      configuration: configuration, types: TableTypeDocuments.shared, random: .system)
    let shared = SharedClient(
      machine, joinDeadline: Instant.now.advanced(byMilliseconds: patience.wholeMilliseconds), loop: loop)
    guard loop.send(.add(shared, endpoint)) else { throw JoinError.noLoop("it has been stopped") }
    // From here on the table is left with the last reference, that of a task that was cancelled included.
    let client = TableClient(shared)
    try await shared.joined.value().get()
    return client
  }

  /// Leaves the table for good: the seat is free at once, and events end. Returns when the farewell is out and the
  /// connection closed, or when the task is cancelled; the table is left all the same.
  public func leave() async {
    shared.leave()
    do {
      try await shared.retired.value()
    } catch {
      // Whoever does not want to wait need not.
    }
  }

  deinit { shared.leave() }

  private static func sharedLoop() throws(JoinError) -> ClientLoop {
    do {
      return try ClientLoop.shared()
    } catch {
      throw .noLoop("\(error)")
    }
  }

  /// Looks a name up on a thread that may wait.
  private static func resolve(_ address: String) async throws -> Endpoint {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(
          with: Result { try Endpoint.tcp(parsing: address) }.mapError { JoinError.badAddress("\($0)") })
      }
    }
  }

  // MARK: Following

  /// How the client stands to its daemon.
  public var connection: ConnectionState { shared.read { $0.connection } }

  /// Everything that happens at the table, in order.
  public var events: TableEvents { events(waitingMax: ClientLimits.waitingEventsMax) }

  /// Everything that happens at the table, in order.
  ///
  /// - Parameter waitingMax: How much may wait for a slow reader, each change of an event counted.
  public func events(waitingMax: Int) -> TableEvents {
    TableEvents(client: shared, weightMax: max(1, waitingMax))
  }

  /// What changes in the visible state, in the fewest moves, inserts and removes; beginning with `.reloaded`.
  public var changes: some AsyncSequence<[TableChange], Never> & Sendable {
    events.compactMap { event in
      if case .changed(let changes) = event { changes } else { nil }
    }
  }
}

extension Duration {
  /// Rounded down, and none below zero.
  fileprivate var wholeMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    return UInt64(clamping: min(seconds, 1 << 40)) * 1_000 + UInt64(clamping: attoseconds / 1_000_000_000_000_000)
  }
}
