import BaizeTable
import BaizeWire
import BaizeWorkload
import Testing

private let anna = SessionID(rawValue: 1)
private let bert = SessionID(rawValue: 2)

private func welcome(
  _ session: SessionID, epoch: UInt64, at revision: UInt64, last: UInt64 = 0, type: String = "{}"
) -> Welcome {
  Welcome(
    session: session, seat: SeatNumber(rawValue: 1), ticket: [], epoch: Epoch(rawValue: epoch),
    revision: Revision(rawValue: revision), lastSequence: SequenceNumber(rawValue: last), tableType: type,
    frameBytesMax: 0, history: 0, heartbeatSeconds: 0, server: "", pendingMax: 0)
}

private func diff(_ revision: UInt64, _ author: SessionID = anna, _ sequence: UInt64 = 0) -> Diff {
  Diff(revision: Revision(rawValue: revision), author: author, sequence: SequenceNumber(rawValue: sequence))
}

/// I2, I3 and I7, as the load harness checks them on the wire. Each fault must be found.
@Suite struct HistoryLedgerTests {
  private func outcome(
    _ sequence: UInt64, _ verdict: Verdict, at revision: UInt64 = 0, _ reason: String = ""
  ) -> Outcome {
    Outcome(
      sequence: SequenceNumber(rawValue: sequence), verdict: verdict,
      refusal: Refusal(Reason(rawValue: reason)), revision: Revision(rawValue: revision))
  }

  /// Two players with seats, and two operations of one of them.
  private func played() -> HistoryLedger {
    var history = HistoryLedger()
    history.note(welcome(anna, epoch: 1, at: 1))
    history.note(welcome(bert, epoch: 1, at: 2))
    history.note(diff(3, anna, 1))
    history.note(outcome(2, .refused, "CONTENDED"), to: anna)
    history.note(diff(4, anna, 3))
    return history
  }

  private func faults(_ change: (inout HistoryLedger) -> Void) -> [Fault: Int] {
    var history = played()
    change(&history)
    return history.faults.counts
  }

  @Test func `a repeated equal answer is no fault`() {
    let counts = faults {
      $0.note(diff(3, anna, 1))
      $0.note(diff(3, anna, 0))
      $0.note(outcome(1, .duplicate, at: 3), to: anna)
      $0.note(outcome(1, .duplicate), to: anna)
      $0.note(outcome(2, .refused, "CONTENDED"), to: anna)
      $0.note(outcome(4, .retry, "STORAGE"), to: anna)
      $0.note(welcome(anna, epoch: 2, at: 4, last: 3))
      $0.note(diff(5, anna, 4))
      $0.close(at: Revision(rawValue: 5))
    }
    #expect(counts == [:])
  }

  @Test func `a changed verdict is found`() {
    #expect(faults { $0.note(outcome(1, .refused, "CONTENDED"), to: anna) } == [.changed: 1])
    #expect(faults { $0.note(outcome(2, .refused, "FORBIDDEN"), to: anna) } == [.changed: 1])
    #expect(faults { $0.note(outcome(2, .unchanged), to: anna) } == [.changed: 1])
    #expect(faults { $0.note(diff(5, anna, 2)) } == [.changed: 1])
  }

  @Test func `an operation with two effects is found`() {
    #expect(faults { $0.note(diff(5, anna, 3)) } == [.duplicated: 1])
    #expect(faults { $0.note(outcome(3, .duplicate, at: 5), to: anna) } == [.duplicated: 1])
  }

  @Test func `a changed revision is found`() {
    #expect(faults { $0.note(diff(4, bert, 1)) } == [.changed: 1])
    #expect(faults { $0.note(outcome(1, .duplicate, at: 4), to: bert) } == [.changed: 1])
  }

  @Test func `an epoch that begins before a received revision is found`() {
    #expect(faults { $0.note(welcome(anna, epoch: 2, at: 4, last: 3)) } == [:])
    #expect(faults { $0.note(welcome(anna, epoch: 2, at: 3, last: 3)) } == [.regressed: 1])
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 2, at: 4, last: 3))
        $0.note(welcome(bert, epoch: 1, at: 4))
      } == [.regressed: 1])
  }

  @Test func `a session that lost an answered operation is found`() {
    #expect(faults { $0.note(welcome(anna, epoch: 2, at: 4, last: 2)) } == [.regressed: 1])
  }

  @Test func `within an epoch clients may receive a revision at different times`() {
    #expect(faults { $0.note(welcome(bert, epoch: 1, at: 3)) } == [:])
  }

  @Test func `revisions without an operation and an end before a received revision are found`() {
    #expect(faults { $0.close(at: Revision(rawValue: 4)) } == [:])
    #expect(faults { $0.close(at: Revision(rawValue: 5)) } == [.duplicated: 1])
    #expect(faults { $0.close(at: Revision(rawValue: 3)) } == [.regressed: 1])
  }

  @Test func `an epoch that a crash lost may be given again, but no revision`() {
    let lost = Epoch(rawValue: 1)
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 5, at: 4, last: 3)); $0.note(welcome(anna, epoch: 2, at: 4, last: 3))
      } == [.regressed: 1])
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 5, at: 4, last: 3))
        $0.loseEpochs(after: lost)
        $0.note(welcome(anna, epoch: 2, at: 4, last: 3))
      } == [:])
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 5, at: 4, last: 3))
        $0.loseEpochs(after: lost)
        $0.note(welcome(anna, epoch: 2, at: 1, last: 3))
      } == [.regressed: 1])
  }
}

@Suite struct OrderCheckTests {
  private func part(_ revision: UInt64, epoch: UInt64 = 1) -> SnapshotPart {
    SnapshotPart(
      epoch: Epoch(rawValue: epoch), revision: Revision(rawValue: revision), isComplete: true, isFirst: true)
  }

  /// Returns the faults in a client's stream: it loads at revision 3, receives revision 4, and then `body`.
  private func faults(_ body: (inout OrderCheck, inout FaultList) -> Void) -> [Fault: Int] {
    var stream = OrderCheck()
    var faults = FaultList()
    stream.note(welcome(anna, epoch: 1, at: 3), after: Hello(table: "t"), into: &faults)
    stream.note(part(3), into: &faults)
    stream.note(diff(4), into: &faults)
    body(&stream, &faults)
    return faults.counts
  }

  @Test func `revisions arrive once and in order`() {
    #expect(faults { $0.note(diff(5), into: &$1) } == [:])
    #expect(faults { $0.note(diff(6), into: &$1) } == [.gap: 1])
    #expect(faults { $0.note(diff(4), into: &$1) } == [.gap: 1])
  }

  @Test func `a client that reconnects receives the missed revisions in order`() {
    let hello = Hello(table: "t", epoch: Epoch(rawValue: 1), revision: Revision(rawValue: 4))
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 1, at: 6, type: ""), after: hello, into: &$1)
        $0.note(diff(5), into: &$1)
      } == [:])
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 1, at: 6, type: ""), after: hello, into: &$1)
        $0.note(diff(6), into: &$1)
      } == [.gap: 1])
    #expect(
      faults {
        $0.note(welcome(anna, epoch: 1, at: 6), after: hello, into: &$1)
        $0.note(diff(5), into: &$1)
      } == [.gap: 1])
  }

  @Test func `within an epoch a snapshot is not older than the revisions before it`() {
    #expect(faults { $0.note(part(4), into: &$1) } == [:])
    #expect(faults { $0.note(part(3), into: &$1) } == [.regressed: 1])
    #expect(faults { $0.note(part(3, epoch: 2), into: &$1) } == [:])
    #expect(
      faults {
        $0.note(part(9, epoch: 2), into: &$1)
        $0.note(welcome(anna, epoch: 1, at: 9), after: Hello(table: "t"), into: &$1)
      } == [.regressed: 1])
  }

  @Test func `a client of a durable table keeps its revisions under every epoch, and no lost one`() {
    var (stream, faults) = (OrderCheck(isDurable: true), FaultList())
    stream.note(part(3), into: &faults)
    stream.note(part(3, epoch: 2), into: &faults)
    stream.note(part(3), without: [Epoch(rawValue: 2)], into: &faults)
    #expect(faults.isEmpty)
    stream.note(part(2, epoch: 3), into: &faults)
    #expect(faults.counts == [.regressed: 1])
  }
}
