import BaizeClient
import BaizeSync
import BaizeTable
import BaizeTransport
import BaizeWire

/// A client that makes tables and revisions for others to miss.
final class TableAuthor: LoopClientHandler {
  private let host: ClientHost
  private var clients: [LoopClient] = []
  private var random: RandomSource
  private var failure: String?

  /// Joins tables, or makes them.
  init(_ tables: [String], type: String, at address: SocketAddress, seed: UInt64) throws {
    host = try ClientHost()
    random = RandomSource(seed: seed)
    for (number, table) in tables.enumerated() {
      var configuration = ClientConfiguration(table: table, tableType: type, name: "author")
      configuration.reportsChanges = false
      clients.append(host.join(.tcp(address), configuration, tag: number, handler: self))
    }
    try wait { $0.isLive }
  }

  /// The revision of each table.
  var revisions: [Revision] { clients.map { $0.replica?.confirmedRevision ?? .zero } }

  /// Puts items at the end of each table's first collection.
  func insert(_ items: [NewItem]) throws {
    let end = Destination.end(of: CollectionHandle(rawValue: 1))
    for start in stride(from: 0, to: items.count, by: Self.itemsPerOperation) {
      let part = Array(items[start..<min(items.count, start + Self.itemsPerOperation)])
      for client in clients { client.submit(.insert(part, end)) }
    }
    try wait { $0.pendingCount == 0 }
  }

  private static let itemsPerOperation = 100

  /// Makes so many revisions of each table: items are moved, one at a time.
  func move(times: Int) throws {
    for client in clients {
      let target = (client.replica?.confirmedRevision.rawValue ?? 0) + UInt64(times)
      // A move may happen to change nothing; it makes no revision then.
      while let replica = client.replica, replica.confirmedRevision.rawValue < target {
        guard let kind = replica.state.anyMove(&random, not: []) else { return }
        client.submit(kind)
        try wait { $0.pendingCount == 0 }
      }
    }
  }

  private func wait(until condition: (LoopClient) -> Bool) throws {
    let end = MonotonicClock.now() + Self.patienceNanoseconds
    while !clients.allSatisfy(condition) {
      if let failure { throw LoadSession.Failure(description: "the author: \(failure)") }
      guard MonotonicClock.now() < end else { throw LoadSession.Failure(description: "the author got no answer") }
      try host.turn(timeout: 100_000_000)
    }
  }

  private static let patienceNanoseconds: UInt64 = 60_000_000_000

  func received(_ event: ClientEvent, by client: LoopClient) {
    switch event {
    case .ended(let goodbye): failure = "\(goodbye.reason.rawValue) \(goodbye.detail)"
    case .diverged(let why): failure = why
    case .joined, .changed, .diff, .answered, .drag, .seats, .disconnected: break
    }
  }
}
