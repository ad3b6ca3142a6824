import Foundation
import Synchronization
public import Testing

extension Trait where Self == Aside {
  /// The test, or each test of the suite, computes for seconds without waiting: it runs beside the threads that all other
  /// tests share.
  ///
  /// Those are as many as the machine has processors, and a test that computes holds one until it ends: on two
  /// processors two such tests would keep every test that waits for a socket or a clock from its thread for longer than
  /// its time limit.
  public static var aside: Self { Aside() }
}

/// Runs tests on threads of their own, which stand back for all others.
public struct Aside: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(AsideExecutor.shared) { try await function() }
  }
}

/// Threads of its own and not a dispatch queue's: on Linux those count among the threads that all tasks share.
private final class AsideExecutor: TaskExecutor {
  static let shared = AsideExecutor()

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
    #if os(Linux)
      // There it is a property of the calling thread.
      setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    #endif
    while true {
      arrivals.wait()
      let job = jobs.withLock { $0.removeFirst() }
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
