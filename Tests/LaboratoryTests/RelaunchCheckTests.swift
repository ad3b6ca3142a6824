import BaizeWorkload
import Testing

@testable import baize_lab

/// The check of `baize-lab relaunch` finds each kind of fault (I3).
@Suite struct RelaunchCheckTests {
  private func faults(_ text: String, marks: [Int: Int]) -> Int {
    var check = RelaunchCheck()
    let lines = text.split(separator: "\n").compactMap { RelaunchLog.Line(String($0)) }
    #expect(lines.map(\.text).joined(separator: "\n") == text)
    check.note(lines, of: 0)
    check.compare(
      with: marks.flatMap { number, count in
        Array(repeating: MarkedItem(mark: Mark(player: 0, number: number), value: nil), count: count)
      })
    return check.faults.total
  }

  @Test func `I3: what is as it must be is no fault`() {
    let log = "J 5 1\nI 1 insert\nI 2 refused\nS 2\nI 3 insert\nJ 5 1\nA 1 accepted\nA 2 refused\nF 3\nI 4 insert\nD 4"
    #expect(faults(log, marks: [1: 1]) == 0)
  }

  @Test(arguments: [
    ("J 5 1\nI 1 insert\nA 1 accepted", [1: 2]), ("J 5 1\nI 1 insert\nA 1 accepted", [:]),
    ("J 5 1\nI 1 insert", [1: 1]), ("J 5 1\nI 1 insert\nF 1", [1: 1]),
    ("J 5 1\nI 1 insert\nS 1\nF 1", [:]), ("J 5 1\nI 1 insert\nA 1 unknown", [:]),
    ("J 5 1\nI 1 insert\nA 1 refused\nA 1 accepted", [1: 1]), ("J 5 1\nJ 6 1", [:]), ("J 5 1\nJ 5 2", [:]),
    ("J 5 1", [7: 1]), ("J 5 1\nI 1 refused\nA 1 accepted", [:]),
  ])
  func `I3: every fault is found`(log: String, marks: [Int: Int]) { #expect(faults(log, marks: marks) > 0) }
}
