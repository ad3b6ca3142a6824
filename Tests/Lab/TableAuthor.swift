import BaizeDriver
import BaizeLaboratory
import BaizeTable
import BaizeWire

/// A player who submits many operations at a table, without a copy of it.
final class TableAuthor {
  let client: BlockingClient
  /// The table as it was when the author joined.
  let joined: BlockingClient.Joined
  /// The revision of the last answers.
  private(set) var revision: Revision
  /// Called when all operations are answered.
  private let answered: () -> Void
  private var number: UInt64 = 0
  private var pending = 0
  private static let pendingMax = 32
  private static let collection = CollectionHandle(rawValue: 1)

  /// Joins a table, which is created if it does not exist.
  init(_ client: BlockingClient, _ table: String, _ type: String, answered: @escaping () -> Void = {}) throws {
    (self.client, self.answered) = (client, answered)
    joined = try client.join(Hello(table: table, tableType: type, name: "author"))
    revision = joined.revision
  }

  /// Submits an operation, and waits for the answers if many are in flight.
  func perform(_ kind: TableOperation.Kind) throws {
    number += 1
    pending += 1
    client.send(joined.operation(kind, number: number, base: revision))
    if pending >= Self.pendingMax { try waitForAnswers() }
  }

  func waitForAnswers() throws {
    guard let pong = try client.ping(number + 1) else { throw RunFailure("an author's connection has ended") }
    revision = pong.revision
    pending = 0
    answered()
  }

  /// Inserts items at the end of the first collection.
  func insert(_ items: [NewItem]) throws { try perform(.insert(items, .end(of: Self.collection))) }

  /// Moves items before another, or to the end of the first collection.
  func move(_ items: ItemList, before anchor: ItemID? = nil) throws {
    let destination = anchor.map { Destination.before($0, in: Self.collection) } ?? .end(of: Self.collection)
    try perform(.move(items, to: destination))
  }
}
