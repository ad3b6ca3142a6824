import BaizeDriver
import BaizeTransport
import BaizeWorkload
import Synchronization

/// Tables at which clients play by the rules, at a steady pace and on a thread of their own, with a ledger of every operation.
final class HonestTables: Sendable {
  static let options = LedgerPlayOptions {
    $0.tableTypes = ["grid", "list?items=30", "kanban?cards=8", "playlist"]
    $0.tables = $0.tableTypes.count
    $0.players = 2
    $0.tablePrefix = "honest"
    $0.operationsPerCut = 0
    $0.hashCheckSeconds = 1
  }

  private let isStopping = Flag()
  private let latencies = Mutex(Histogram())
  private let faults = Mutex(["the honest players did not finish"])
  private let thread = Mutex<LoopThread?>(nil)

  init(at address: SocketAddress, seed: UInt64) throws {
    var options = Self.options
    options.address = address
    options.seed = seed
    let thread = try LoopThread(name: "honest") { [self, options] in
      let faults = Result { try play(options) }
      self.faults.withLock { $0 = (try? faults.get()) ?? ["the honest players failed: \(faults)"] }
    }
    self.thread.withLock { $0 = thread }
  }

  /// Takes the times from submit to answer since the last call.
  func takeLatencies() -> Histogram {
    latencies.withLock { latencies in
      defer { latencies = Histogram() }
      return latencies
    }
  }

  /// Lets everyone finish.
  ///
  /// - Returns: The faults, a sentence each.
  func finish() -> [String] {
    isStopping.set()
    thread.withLock { $0.take() }?.join()
    return faults.withLock { $0 }
  }

  private func play(_ options: LedgerPlayOptions) throws -> [String] {
    let play = try LedgerPlay(options)
    try play.join()
    while !isStopping.isSet {
      try play.play(seconds: 0.02)
      latencies.withLock { $0.merge(play.takeLatencies()) }
    }
    play.finish()
    var faults = play.allFaults.examples
    if play.counts.reconnects > 0 { faults.append("\(play.counts.reconnects) honest connections were lost") }
    if play.verdicts[.accepted] == nil { faults.append("no honest operation was accepted") }
    return faults
  }
}
