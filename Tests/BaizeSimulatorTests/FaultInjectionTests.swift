import BaizeSimulator
import TestSupport
import Testing

/// A check that never complains proves nothing: here something is wrong each time, and the world has to say so.
@Suite(.dedicatedThreads) struct FaultInjectionTests {
  /// One wrong in each world; the worlds in which it came about are the ones that count.
  private func run(_ frameFault: FrameFault, seeds: ClosedRange<UInt64> = 1...150) -> (done: Int, broken: [String]) {
    var done = 0
    var broken: [String] = []
    for seed in seeds {
      let world = World(.calm, seed: seed, frameFault: frameFault)
      let failure = world.failure(of: [])
      // Whom a host has seated elsewhere, or sent away, waits for nothing from before.
      guard world.counts[.reseated] + world.counts[.kicked] == 0 else { continue }
      if let failure { broken.append(failure.invariant) }
      if world.isFaultInjected { done += 1 }
    }
    return (done, broken)
  }

  /// I2: a diff that comes twice is a gap, every time.
  @Test func `a diff that comes twice is seen`() {
    let (done, broken) = run(.repeatDiff)
    #expect(done > 100 && broken == Array(repeating: "I2", count: done))
  }

  /// I2, I3: a diff that is lost is a gap, or an answer that is missing.
  @Test func `a diff that is lost is seen`() {
    let (done, broken) = run(.dropDiff)
    #expect(done > 100 && broken.count == done && broken.contains("I2") && broken.contains("I3"))
  }

  /// I1: a replica that rebases a move to another place is another table, until the item is moved again.
  @Test func `a misplaced move is seen`() {
    let (done, broken) = run(.misplaceMove, seeds: 1...600)
    #expect(done > 20 && broken.count * 10 > done * 9 && broken.contains("I1"), "\(broken.count) of \(done)")
  }

  /// I9, I10: a daemon that rebases a drop to another gap is found out although all replicas agree with it.
  @Test func `a shifted gap is seen`() {
    let (done, broken) = run(.shiftGap)
    #expect(done > 20 && broken.contains("I9") && broken.contains("I10"))
  }

  /// I3: an operation without an answer is missed.
  @Test func `silence is seen`() {
    let (done, broken) = run(.swallowAnswer)
    #expect(done > 50 && broken.count == done && broken.contains("I3"))
  }

  /// I3, I10: a verdict that no rule gives is not what the replica foresaw.
  @Test func `a wrong verdict is seen`() {
    let (done, broken) = run(.swapVerdict)
    #expect(done > 30 && broken.contains("I10"))
  }
}
