import BaizeClient
import BaizeCommandLine
import BaizeDriver
import BaizeSync
import BaizeTable
import BaizeWorkload
import Dispatch

extension LabPart {
  /// One process of a client that `baize-lab relaunch` kills and starts again.
  ///
  /// Its arguments are the daemon's address, the table, the client's number, the folder of its store and its log, a seed, a
  /// mode, and a fault or `-`.
  static let relaunched = LabPart("relaunched") { words in
    guard words.count == 7, let number = Int(words[2]), let seed = UInt64(words[4]),
      let mode = RelaunchedClient.Mode(rawValue: words[5])
    else { throw RunFailure("is started by 'relaunch'") }
    Task {
      do {
        let files = FileSessionStore(folder: "\(words[3])/sessions")
        let fault = StoreFault(rawValue: words[6])
        let store: any SessionStore = fault.map { FaultyStore(store: files, fault: $0) } ?? files
        var configuration = ClientConfiguration(table: words[1], tableType: "list?items=0", name: "client \(number)")
        configuration.backoffMilliseconds = 10
        configuration.backoffMillisecondsMax = 100
        let client = try await TableClient.join(
          words[0], configuration, store: store, timeout: .seconds(Int(Double(HangGuard.seconds))))
        var process = RelaunchedClient(
          client: client, number: number, log: try RelaunchLog(folder: words[3]), random: RandomSource(seed: seed))
        try await process.run(mode)
        Console.end(.success)
      } catch {
        Console.refuse("\(LabCommand.name) relaunched", "\(error)")
      }
    }
    dispatchMain()
  }
}

/// A client that submits in bursts, and logs what it does and learns.
struct RelaunchedClient {
  let client: TableClient
  let number: Int
  let log: RelaunchLog
  var random: RandomSource

  enum Mode: String {
    /// Submits until it is killed.
    case play
    /// Waits for the outcomes of all operations that wait.
    case drain
  }

  mutating func run(_ mode: Mode) async throws {
    try log.append(.joined(session: client.session?.rawValue ?? 0, seat: client.seat.rawValue))
    try learn()
    if mode == .drain {
      while client.waitingOperations.count > 0 { try await Task.sleep(for: .milliseconds(2)) }
      try learn()
      return await client.close()
    }
    while true {
      try await burst()
      try await Task.sleep(for: .microseconds(200 + Int(random.next(below: 8_000))))
      try learn()
    }
  }

  /// Logs the statuses that have become final.
  private func learn() throws {
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
      return (.move, .move([item], to: .before(anchor, in: items)))
    }
    let destination: Destination =
      choice < 12 ? last.last.map { .before($0, in: items) } ?? .end(of: items) : .end(of: items)
    return (.insert, .insert([Mark(player: self.number, number: number).newItem], destination))
  }
}
