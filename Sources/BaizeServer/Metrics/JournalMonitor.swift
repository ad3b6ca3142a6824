import BaizeJournal
import BaizeSync
import BaizeTransport
import Synchronization

/// The figures of the journal and its lines in the log, from what it reports.
final class JournalMonitor: Sendable {
  private let counters = Mutex(JournalStatistics())
  private let lost = Atomic(false)
  private let superseded = Atomic(false)
  private let stop = Mutex<(@Sendable () -> Void)?>(nil)
  private let log: Log
  /// The daemon's part in a group of several; `nil` if it is alone.
  let node: JournalNode?
  private let overdue = Atomic(false)

  init(_ log: Log, _ node: JournalNode? = nil) { (self.log, self.node) = (log, node) }

  var statistics: JournalStatistics { counters.withLock { $0 } }

  /// Whether something that was acknowledged or sent is lost: the daemon must not end as if all were well.
  var hasLost: Bool { lost.load(ordering: .relaxed) }

  /// Whether another daemon has taken the journal over.
  var isSuperseded: Bool { superseded.load(ordering: .relaxed) }

  /// Has `stop` called once another daemon has the journal, or may have it.
  func onLoss(_ stop: @escaping @Sendable () -> Void) {
    self.stop.withLock { $0 = stop }
    if !hasLease { stop() }
  }

  /// Whether no other daemon has taken the journal over, as far as this one knows.
  private var hasLease: Bool { !isSuperseded && !overdue.load(ordering: .relaxed) }

  /// Whether another node may have the journal: nothing may leave the daemon any more, which ends. Any thread may ask.
  @inline(__always) func isOverdue() -> Bool {
    guard let node, node.isOverdue else { return false }
    end("the journal has not answered for so long that another node may have it")
    return true
  }

  /// Stops the daemon, once.
  private func end(_ reason: String) {
    guard !overdue.exchange(true, ordering: .relaxed) else { return }
    log(.error, "\(reason); this one ends")
    stop.withLock { $0 }?()
  }

  func tableLoaded() { counters.withLock { $0.tablesLoaded += 1 } }

  /// Receives a report. Any thread may call it.
  func receive(_ event: JournalEvent) {
    switch event {
    case .committed(let turns, let writes, let bytes, let nanoseconds):
      counters.withLock { counters in
        counters.commits += 1
        counters.turns += turns
        counters.rows += writes
        counters.bytes += bytes
        counters.commitDurations.record(nanoseconds)
        counters.durations.record(nanoseconds: nanoseconds)
      }
    case .failed(let error, _) where error.kind == .superseded:
      log(.error, "\(error); this one ends")
      superseded.store(true, ordering: .relaxed)
      stop.withLock { $0 }?()
    case .failed(let error, _) where error.kind == .leaseLost: end("\(error)")
    case .failed(let error, let mayPass):
      let until = mayPass ? "until it can" : "any more, until the daemon is started again"
      let effect = error.kind == .unreachable ? "answered" : "judged"
      log(.error, "the journal cannot be written, so no operation is \(effect) \(until): \(error)")
      counters.withLock { ($0.failures, $0.isFailing) = ($0.failures + ($0.isFailing ? 0 : 1), true) }
    case .recovered:
      log(.warning, "the journal can be written again")
      counters.withLock { $0.isFailing = false }
    case .lost: lost.store(true, ordering: .relaxed)
    case .ended(let unwritten):
      if unwritten > 0 {
        lost.store(true, ordering: .relaxed)
        log(.error, "\(unwritten) turns could not be written to the journal before the end")
      }
      log(.info, "journal: \(statistics)")
    }
  }
}
