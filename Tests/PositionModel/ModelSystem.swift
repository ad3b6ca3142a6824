/// The model as a system.
struct ModelSystem: PositionSystem {
  private(set) var table: PositionTable
  private var memories: [ModelMemory]
  private var clients: [ModelClient]

  struct Message: Sendable {
    let operation: ModelOperation
    let answer: ModelAnswer
  }

  init(_ setUp: PositionSetUp) {
    table = PositionTable(setUp.lists, fault: setUp.fault)
    table.rules = setUp.rules
    table.isFirstWins = setUp.isFirstWins
    memories = (0..<setUp.authors).map { _ in ModelMemory() }
    clients = []
    for author in 1...setUp.authors { clients.append(ModelClient(author: author, of: table)) }
  }

  // MARK: The authority

  func items(in collection: Int) -> [Int] { table.items(in: collection) }

  mutating func judge(_ request: ModelOperation) -> (answer: ModelAnswer, message: Message) {
    let answer = table.judge(request, &memories[request.author - 1])
    return (answer, Message(operation: request, answer: answer))
  }

  func postpone(_ request: ModelOperation) -> Message {
    Message(operation: request, answer: ModelAnswer(verdict: .retry))
  }

  mutating func forget(through oldest: Int) { table.forget(through: oldest) }

  // MARK: A client

  func confirmedRevision(of author: Int) -> Int { clients[author - 1].confirmed.revision }

  mutating func shown(by author: Int) -> [[Int]] {
    table.collections.indices.map { clients[author - 1].items(in: $0) }
  }

  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int, at place: Int, by author: Int
  ) -> Sent<ModelOperation>? {
    clients[author - 1].submit(kind, items, to: collection, at: place).map(Self.sent)
  }

  mutating func refused(by author: Int) -> Set<Int> { clients[author - 1].refused() }

  func expects(_ answer: ModelAnswer, by author: Int) -> Bool { clients[author - 1].expects(answer) }

  mutating func receive(_ message: Message, by author: Int) -> [Sent<ModelOperation>] {
    clients[author - 1].receive(message.answer, to: message.operation).map(Self.sent)
  }

  private static func sent(_ operation: ModelOperation, _ view: ModelView) -> Sent<ModelOperation> {
    Sent(operation: operation, view: view, request: operation)
  }
}
