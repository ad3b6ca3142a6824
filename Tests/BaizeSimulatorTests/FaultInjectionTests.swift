import BaizeSimulator
import BaizeWorkload
import TestSupport
import Testing

/// Fault injection, to prove that the checks can fail: each world contains a fault, which it must report.
@Suite(.dedicatedThreads) struct FaultInjectionTests {
  /// Injects one fault into each world; only the worlds in which it occurred count.
  private func run(_ frameFault: FrameFault, seeds: ClosedRange<UInt64> = 1...150) -> (done: Int, broken: [String]) {
    var done = 0
    var broken: [String] = []
    for seed in seeds {
      let world = World(.calm, seed: seed, frameFault: frameFault)
      let failure = world.failure(of: [])
      // A client that a host has reseated or kicked waits for no earlier answer.
      guard world.counts[.reseated] + world.counts[.kicked] == 0 else { continue }
      if let failure { broken.append(failure.invariant) }
      if world.isFaultInjected { done += 1 }
    }
    return (done, broken)
  }

  /// I2: a diff that arrives twice is always a gap.
  @Test func `a repeated diff is detected`() {
    let (done, broken) = run(.repeatDiff)
    #expect(done > 100 && broken == Array(repeating: "I2", count: done))
  }

  /// I2, I3: a lost diff is a gap or a missing answer.
  @Test func `a lost diff is detected`() {
    let (done, broken) = run(.dropDiff)
    #expect(done > 100 && broken.count == done && broken.contains("I2") && broken.contains("I3"))
  }

  /// I1: a replica that rebases a move to another position differs until the item is moved again.
  @Test func `a misplaced move is detected`() {
    let (done, broken) = run(.misplaceMove, seeds: 1...600)
    #expect(done > 20 && broken.count * 10 > done * 9 && broken.contains("I1"), "\(broken.count) of \(done)")
  }

  /// I9, I10: a daemon that rebases a drop to another gap is detected although all replicas agree with it.
  @Test func `a shifted gap is detected`() {
    let (done, broken) = run(.shiftGap)
    #expect(done > 20 && broken.contains("I9") && broken.contains("I10"))
  }

  /// I3: a missing answer is detected.
  @Test func `a missing answer is detected`() {
    let (done, broken) = run(.swallowAnswer)
    #expect(done > 50 && broken.count == done && broken.contains("I3"))
  }

  /// I3, I10: a verdict against the rules differs from the replica's prediction.
  @Test func `a wrong verdict is detected`() {
    let (done, broken) = run(.swapVerdict)
    #expect(done > 30 && broken.contains("I10"))
  }
}
