import Testing

@testable import baize_load

/// The check of `baize-load relaunch` finds each kind of fault (I3).
@Suite struct RelaunchLedgerTests {
  private func faults(_ text: String, marks: [String: Int]) -> Int {
    var ledger = RelaunchLedger()
    let lines = text.split(separator: "\n").compactMap { RelaunchLog.Line(String($0)) }
    #expect(lines.map(\.text).joined(separator: "\n") == text)
    ledger.check(client: 0, lines, marks: marks)
    return ledger.faults.count
  }

  @Test func `I3: what is as it must be is no fault`() {
    let log = "J 5 1\nI 1 insert\nI 2 refused\nS 2\nI 3 insert\nJ 5 1\nA 1 accepted\nA 2 refused\nF 3\nI 4 insert\nD 4"
    #expect(faults(log, marks: ["0-1": 1]) == 0)
  }

  @Test(arguments: [
    ("J 5 1\nI 1 insert\nA 1 accepted", ["0-1": 2]), ("J 5 1\nI 1 insert\nA 1 accepted", [:]),
    ("J 5 1\nI 1 insert", ["0-1": 1]), ("J 5 1\nI 1 insert\nF 1", ["0-1": 1]),
    ("J 5 1\nI 1 insert\nS 1\nF 1", [:]), ("J 5 1\nI 1 insert\nA 1 unknown", [:]),
    ("J 5 1\nI 1 insert\nA 1 refused\nA 1 accepted", ["0-1": 1]), ("J 5 1\nJ 6 1", [:]), ("J 5 1\nJ 5 2", [:]),
    ("J 5 1", ["0-7": 1]), ("J 5 1\nI 1 refused\nA 1 accepted", [:]),
  ])
  func `I3: every fault is found`(log: String, marks: [String: Int]) { #expect(faults(log, marks: marks) > 0) }
}
