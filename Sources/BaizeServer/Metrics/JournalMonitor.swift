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

  init(_ log: Log) { self.log = log }

  var statistics: JournalStatistics { counters.withLock { $0 } }

  /// Whether something that was acknowledged or sent is lost: the daemon must not end as if all were well.
  var hasLost: Bool { lost.load(ordering: .relaxed) }

  /// Whether another daemon has taken the journal over.
  var isSuperseded: Bool { superseded.load(ordering: .relaxed) }

  /// Has `stop` called once another daemon has taken the journal over.
  func onSuperseded(_ stop: @escaping @Sendable () -> Void) {
    self.stop.withLock { $0 = stop }
    if isSuperseded { stop() }
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
