/// An authority with its clients, as the worlds of positions use them: the model, or the real table with real replicas.
///
/// Authors are numbered from 1, collections from 0. Items are numbers: those of the start as ``PositionSetUp/lists`` says, and
/// the one that an insertion makes is ``ModelOperation/madeItem(by:number:)``.
protocol PositionSystem: Sendable {
  /// An operation on its way to the authority.
  associatedtype Request: Sendable
  /// An answer, or the diff of another author's operation, on its way to a client.
  associatedtype Message: Sendable

  init(_ setUp: PositionSetUp)

  // MARK: The authority

  func items(in collection: Int) -> [Int]
  /// Judges an operation.
  mutating func judge(_ request: Request) -> (answer: ModelAnswer, message: Message)
  /// Returns the answer to an operation behind one that is to be sent again.
  func postpone(_ request: Request) -> Message
  /// Forgets what was vacated long ago: at the latest what was vacated up to a revision that no base reaches back to.
  mutating func forget(through oldest: Int)

  /// Where two authorities that judge the same operations differed; `nil` if they did not, or if there is one.
  var disagreement: String? { get }

  // MARK: A client

  /// The last revision that a client has received.
  func confirmedRevision(of author: Int) -> Int
  /// The items that a client shows, by collection.
  mutating func shown(by author: Int) -> [[Int]]
  /// Submits an operation, unless the client's own copy of the rules refuses it or it would change nothing.
  ///
  /// - Parameter place: The number of items in front of the gap, of those that are shown; sources are no neighbors.
  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int, at place: Int, by author: Int
  ) -> Sent<Request>?
  /// Returns the numbers of a client's pending operations that it shows as refused.
  mutating func refused(by author: Int) -> Set<Int>
  /// Returns whether a client shows what an answer to its first pending operation says.
  func expects(_ answer: ModelAnswer, by author: Int) -> Bool
  /// Receives a message.
  ///
  /// - Returns: The operations that are sent again.
  mutating func receive(_ message: Message, by author: Int) -> [Sent<Request>]
}

extension PositionSystem {
  var disagreement: String? { nil }
}

/// An operation that was sent, and what its author saw around its gap.
struct Sent<Request: Sendable>: Sendable {
  let operation: ModelOperation
  let view: ModelView
  let request: Request
}

/// The table on which a world begins.
struct PositionSetUp: Sendable {
  var lists: [[Int]]
  var rules: [PositionTable.Rules]
  var isFirstWins = false
  var authors = 1
  /// A fault of the model.
  var fault: ModelFault?

  init(_ lists: [[Int]]) {
    self.lists = lists
    rules = lists.map { _ in PositionTable.Rules() }
  }
}
