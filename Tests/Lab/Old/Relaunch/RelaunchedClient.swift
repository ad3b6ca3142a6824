import BaizeClient
import BaizeCommandLine
import BaizeSync
import BaizeTable
import BaizeWire
import Dispatch
import Foundation

/// `baize-lab relaunched`: one process of a client that `baize-lab relaunch` kills and starts again.
struct RelaunchedClient {
  let client: TableClient
  let number: Int
  let log: RelaunchLog
  private var random: RandomSource

  /// - Parameter arguments: The daemon's address, the table, the client's number, the folder of its store and its log, a seed,
  ///   `play`, `drain` or `list`, and a fault or `-`.
  static func run(_ arguments: ArraySlice<String>) -> Never {
    let words = Array(arguments)
    guard words.count == 7, let number = Int(words[2]), let seed = UInt64(words[4]) else {
      Console.refuse("baize-lab relaunched", "is started by baize-lab relaunch")
    }
    Task {
      do {
        let folder = words[3]
        let files = FileSessionStore(folder: "\(folder)/sessions")
        let fault = StoreFault(rawValue: words[6])
        let store: any SessionStore = fault.map { FaultyStore(store: files, fault: $0) } ?? files
        var configuration = ClientConfiguration(table: words[1], tableType: "list?items=0", name: "client \(number)")
        configuration.backoffMilliseconds = 10
        configuration.backoffMillisecondsMax = 100
        if words[5] == "list" { configuration.role = .spectator }
        let client = try await TableClient.join(
          words[0], configuration, store: words[5] == "list" ? nil : store, timeout: .seconds(30))
        if words[5] == "list" {
          list(client)
          await client.leave()
        } else {
          var process = RelaunchedClient(
            client: client, number: number, log: try RelaunchLog(path: "\(folder)/log"),
            random: RandomSource(seed: seed))
          try await process.run(drains: words[5] == "drain")
        }
        Console.end(.success)
      } catch {
        Console.refuse("baize-lab relaunched", "\(error)")
      }
    }
    dispatchMain()
  }

  /// Prints the marks on the table.
  private static func list(_ client: TableClient) {
    for item in client.items(in: "items") {
      if case .text(let mark) = item.face["mark"] { Console.print(mark) }
    }
  }

  private mutating func run(drains: Bool) async throws {
    try log.append(.joined(session: client.session?.rawValue ?? 0, seat: client.seat.rawValue))
    try learn(isRelaunch: true)
    if drains {
      while client.waitingOperations.count > 0 { try await Task.sleep(for: .milliseconds(2)) }
      try learn(isRelaunch: false)
      return await client.close()
    }
    while true {
      try await burst()
      try await Task.sleep(for: .microseconds(200 + Int(random.next(below: 8_000))))
      try learn(isRelaunch: false)
    }
  }

  /// Logs the statuses that have become final.
  private func learn(isRelaunch: Bool) throws {
    for number in log.open.sorted() {
      switch client.status(of: Self.id(number)) {
      case .pending: break
      case .accepted: try log.append(.answered(number, .accepted))
      case .unchanged: try log.append(.answered(number, .unchanged))
      case .refused: try log.append(.answered(number, .refused))
      case .unknown: try log.append(.answered(number, .unknown))
      case nil: try log.append(.forgotten(number))
      }
    }
  }

  private static func id(_ number: Int) -> OperationID { OperationID(rawValue: "operation \(number)") }

  private mutating func burst() async throws {
    let count = 1 + Int(random.next(below: 40))
    for _ in 0..<count {
      let number = log.lastNumber + 1
      let (operation, kind) = choose(number)
      try log.append(.intends(number, operation))
      let submission = client.submit(kind, id: Self.id(number), sendsRefused: true)
      if submission.operation == nil { try log.append(.declined(number)) }
    }
    if random.next(below: 4) == 0 {
      let last = log.lastNumber
      try await client.save()
      try log.append(.saved(last))
    }
  }

  private mutating func choose(_ number: Int) -> (RelaunchOperation, TableOperation.Kind) {
    guard let items = client.handle(of: "items") else { return (.refused, .remove([ItemID(rawValue: 1 << 50)])) }
    let choice = random.next(below: 20)
    if choice == 0 { return (.refused, .remove([ItemID(rawValue: 1 << 50)])) }
    let last = client.itemIDs(in: "items").suffix(8)
    if choice < 6, let item = last.first, let anchor = last.last, item != anchor {
      return (
        .move, .reorder(ReorderDifference(sources: [item], destination: .before(anchor, in: items)), suggested: [])
      )
    }
    let mark = NewItem(attributes: [Attribute("mark", RelaunchLedger.mark(self.number, number))])
    let destination: Destination =
      choice < 12 ? last.last.map { .before($0, in: items) } ?? .end(of: items) : .end(of: items)
    return (.insert, .insert([mark], destination))
  }
}
