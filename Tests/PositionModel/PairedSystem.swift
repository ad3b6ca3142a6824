/// The real table with its replicas, and the model, which judges the same operations: their verdicts and lists must be equal after
/// each.
struct PairedSystem: PositionSystem {
  struct Request: Sendable {
    let operation: ModelOperation
    let request: TableSystem.Request
  }

  private var real: TableSystem
  private var model: PositionTable
  private var memories: [ModelMemory]
  private(set) var disagreement: String?

  init(_ setUp: PositionSetUp) {
    real = TableSystem(setUp)
    model = PositionTable(setUp.lists, fault: setUp.fault)
    model.rules = setUp.rules
    model.isFirstWins = setUp.isFirstWins
    memories = (0..<setUp.authors).map { _ in ModelMemory() }
  }

  // MARK: The authority

  func items(in collection: Int) -> [Int] { real.items(in: collection) }

  mutating func judge(_ request: Request) -> (answer: ModelAnswer, message: TableSystem.Message) {
    let operation = request.operation
    let judged = real.judge(request.request)
    let verdict = model.judge(operation, &memories[operation.author - 1]).verdict
    guard disagreement == nil else { return judged }
    if !verdict.isAlike(judged.answer.verdict) {
      disagreement = "\(operation): the model says \(verdict), the table \(judged.answer.verdict)"
    }
    for collection in model.collections.indices where model.items(in: collection) != items(in: collection) {
      disagreement = "\(operation): the model has \(model.items(in: collection)), the table \(items(in: collection))"
    }
    return judged
  }

  func postpone(_ request: Request) -> TableSystem.Message { real.postpone(request.request) }

  /// They do not forget at the same time.
  mutating func forget(through oldest: Int) {}

  // MARK: A client

  func confirmedRevision(of author: Int) -> Int { real.confirmedRevision(of: author) }
  func shown(by author: Int) -> [[Int]] { real.shown(by: author) }
  func refused(by author: Int) -> Set<Int> { real.refused(by: author) }
  func expects(_ answer: ModelAnswer, by author: Int) -> Bool { real.expects(answer, by: author) }

  mutating func submit(
    _ kind: ModelOperation.Kind, _ items: [Int], to collection: Int, at place: Int, by author: Int
  ) -> Sent<Request>? {
    real.submit(kind, items, to: collection, at: place, by: author).map(Self.paired)
  }

  mutating func receive(_ message: TableSystem.Message, by author: Int) -> [Sent<Request>] {
    real.receive(message, by: author).map(Self.paired)
  }

  private static func paired(_ sent: Sent<TableSystem.Request>) -> Sent<Request> {
    Sent(
      operation: sent.operation, view: sent.view, request: Request(operation: sent.operation, request: sent.request))
  }
}

extension ModelVerdict {
  /// Returns whether both accept, change nothing, refuse for whatever reason, or want the operation again.
  fileprivate func isAlike(_ other: ModelVerdict) -> Bool {
    switch (self, other) {
    case (.refused, .refused): true
    default: self == other
    }
  }
}
