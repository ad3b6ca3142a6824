import BaizeTable
import BaizeTransport
import Synchronization

/// Background threads for work that takes as long as a table is large: creating, reading, decoding and freeing it. They give
/// way to the shards, which have the same processors.
///
/// One worker does everything, and large tables before others; the others do only what is small. So a small table never waits
/// for a large one, and one large table is created or decoded at a time, which bounds the memory for them.
///
/// The threads end after ``stop()``, or with the last reference to this object.
final class TableWorkers: Sendable {
  typealias Job = @Sendable () -> Void

  /// The workers' jobs and wakers, which the threads hold.
  private final class Queues: Sendable {
    private struct Jobs {
      var small = Queue<Job>()
      var large = Queue<Job>()
      var isStopped = false
    }

    private let jobs = Mutex(Jobs())
    /// One for each worker. The first worker does everything.
    let wakers: [Waker]

    init(count: Int) throws { wakers = try (0..<count).map { _ in try Waker() } }

    func add(_ job: @escaping Job, isLarge: Bool) {
      jobs.withLock { jobs in
        if isLarge { jobs.large.append(job) } else { jobs.small.append(job) }
      }
      for waker in isLarge ? wakers.prefix(1) : wakers[...] { waker.wake() }
    }

    func stop() {
      jobs.withLock {
        $0.isStopped = true
        ($0.small, $0.large) = (Queue(), Queue())
      }
      for waker in wakers { waker.wake() }
    }

    func serve(_ worker: Int) {
      while !jobs.withLock({ $0.isStopped }) {
        while let job = next(includingLarge: worker == 0) { job() }
        wakers[worker].wait()
      }
    }

    private func next(includingLarge: Bool) -> Job? {
      jobs.withLock { jobs in
        if includingLarge, let job = jobs.large.popFirst() { return job }
        return jobs.small.popFirst()
      }
    }
  }

  private let queues: Queues

  /// Starts the workers.
  init() throws {
    let queues = try Queues(count: max(2, min(ProcessorCount.online, ServerLimits.tableWorkersMax)))
    for worker in queues.wakers.indices {
      _ = try LoopThread(name: "tables \(worker)") {
        LoopThread.yieldToOthers()
        queues.serve(worker)
      }
    }
    self.queues = queues
  }

  deinit { stop() }

  /// Adds a job.
  ///
  /// - Parameter bytes: The approximate size of the table's contents in bytes.
  func add(_ bytes: Int, _ job: @escaping Job) {
    queues.add(job, isLarge: bytes > ServerLimits.smallTableBytesMax)
  }

  /// Ends the workers after their present jobs, and discards the others.
  func stop() { queues.stop() }
}
