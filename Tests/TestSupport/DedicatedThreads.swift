import Foundation
import Synchronization
public import Testing

extension Trait where Self == DedicatedThreads {
  /// Runs the test, or each test of the suite, on threads apart from the shared pool, because it computes for seconds.
  ///
  /// The pool has one thread per processor, and a computing test holds one until it ends: on two processors two such tests
  /// would keep all others, which wait for sockets or clocks, from running meanwhile.
  public static var dedicatedThreads: Self { Self() }
}

/// A trait that runs tests on dedicated threads. Their priority is that of all: beside other busy processes, threads of a low one
/// would hardly run at all.
public struct DedicatedThreads: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(DedicatedExecutor.shared) { try await function() }
  }
}

/// Uses threads and not a dispatch queue: on Linux a queue's threads count towards the shared pool.
private final class DedicatedExecutor: TaskExecutor {
  static let shared = DedicatedExecutor()

  private let jobs = Mutex<[UnownedJob]>([])
  private let arrivals = DispatchSemaphore(value: 0)

  private init() {
    for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
      Thread { [unowned self] in run() }.start()
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    arrivals.signal()
  }

  private func run() {
    while true {
      arrivals.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
